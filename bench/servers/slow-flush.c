// Preloaded into both contenders: a flush to the disk takes FLUSH_MICROSECONDS longer than it does.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void wait_for_the_disk(void) {
  const char *microseconds = getenv("FLUSH_MICROSECONDS");
  if (microseconds) usleep(atoi(microseconds));
}

int fdatasync(int file) {
  wait_for_the_disk();
  return syscall(SYS_fdatasync, file);
}

int fsync(int file) {
  wait_for_the_disk();
  return syscall(SYS_fsync, file);
}
