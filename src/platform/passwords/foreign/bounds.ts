/** For one check. The queue runs one fewer at a time than there are cores. */
export const MOST_MEMORY_BYTES = 128 * 1024 * 1024
/** Memory times passes: about two seconds of one core. */
export const MOST_WORK_BYTES = 1024 * 1024 * 1024
/** bcrypt's work doubles with each step; this one is about one second. */
export const MOST_BCRYPT_ROUNDS = 13
