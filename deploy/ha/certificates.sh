#!/bin/sh
# Makes certificates in the current folder. Run it outside the cluster, because ca.key opens all of it.
#   sh certificates.sh database db1=10.0.1.1 db2=10.0.1.2 db3=10.0.1.3    # for etcd, Patroni and PostgreSQL
#   sh certificates.sh reader gatehouse1 gatehouse2 prometheus            # to read Patroni's state, and nothing else
# Running it again with a name replaces that certificate; ca.crt and ca.key are made once.
set -eu
umask 077
kind=$1
shift

# Settings of our own: the system's openssl.cnf would make each certificate an authority.
settings=$(mktemp)
trap 'rm -f "$settings"' EXIT
certificate() {
  printf '[req]\nprompt = no\ndistinguished_name = name\nx509_extensions = uses\n[name]\nO = %s\n[uses]\n%s\n' \
    "$2" "$3" >"$settings"
  key="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
  # shellcheck disable=SC2086
  openssl req -x509 -config "$settings" $key -keyout "$1.key" -out "$1.crt" $4
}

[ -e ca.key ] || certificate ca 'Gatehouse database' 'basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash' '-days 3650'

signed='-days 1095 -CA ca.crt -CAkey ca.key'
for one; do
  name=${one%%=*}
  case $kind in
    # etcd admits members by the name gatehouse-database, and refuses clients with a common name (CN).
    database) certificate "$name" "$name" "basicConstraints = critical,CA:FALSE
extendedKeyUsage = serverAuth,clientAuth
subjectAltName = DNS:gatehouse-database,DNS:$name,DNS:localhost,IP:127.0.0.1,IP:${one#*=}" "$signed" ;;
    reader) certificate "$name" "$name" 'basicConstraints = critical,CA:FALSE
extendedKeyUsage = clientAuth' "$signed" ;;
    *) echo "the first word is database or reader, not $kind" >&2; exit 1 ;;
  esac
  # HAProxy reads both from one file.
  cat "$name.crt" "$name.key" >"$name.pem"
done
