#!/bin/sh
# A Docker daemon of our own, without bridge, firewall rules or a registry: for CI and for working on the backend.
#   dockerd.sh start FOLDER   prints the value for DOCKER_HOST when the daemon answers; exit 1 when it does not
#   dockerd.sh stop FOLDER    ends it and takes the folder away
# FOLDER should be short: a Unix socket's path may have 107 characters.
set -eu
action=$1
folder=$2
socket="$folder/docker.sock"

case $action in
start)
    mkdir -p "$folder"
    folder=$(cd "$folder" && pwd)
    setsid dockerd --data-root "$folder/data" --exec-root "$folder/exec" --pidfile "$folder/pid" \
        --host "unix://$socket" --bridge none --iptables=false >"$folder/log" 2>&1 </dev/null &
    for _ in $(seq 100); do
        if [ -S "$socket" ] && DOCKER_HOST="unix://$socket" docker info >/dev/null 2>&1; then
            echo "unix://$socket"
            exit 0
        fi
        sleep 0.1
    done
    echo "dockerd did not come up; the end of $folder/log:" >&2
    tail -5 "$folder/log" >&2
    exit 1
    ;;
stop)
    for file in "$folder/pid" "$folder/exec/containerd/containerd.pid"; do
        [ -f "$file" ] || continue
        pid=$(cat "$file")
        kill "$pid" 2>/dev/null || true
        for _ in $(seq 100); do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
    done
    # a daemon that was killed leaves the file systems of its containers mounted
    awk -v below="$folder/" 'index($2, below) == 1 { print $2 }' /proc/mounts | sort -r | xargs -r umount -l
    rm -rf "$folder"
    ;;
*)
    echo "usage: dockerd.sh start|stop FOLDER" >&2
    exit 2
    ;;
esac
