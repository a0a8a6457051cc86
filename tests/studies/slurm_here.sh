#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A real Slurm of one node on the loopback, for tests: munged, slurmctld and slurmd with configuration, key,
# sockets, state and logs in a folder of their own. No service manager, no cgroups, no accounting; nothing
# outside of the folder is written. Debian's slurm-wlm and munge.
#
#   setting=$(tests/studies/slurm_here.sh start DIR [CPUS] [KEY=VALUE...]) && eval "$setting"
#                       prints the line for the shell that makes sbatch and squeue use it; CPUS of the node, 2 if
#                       not said; KEY=VALUE replaces or adds a line of slurm.conf: MinJobAge=2
#   tests/studies/slurm_here.sh kill DIR DAEMON...     kill -9 of munged, slurmctld or slurmd: as in a crash
#   tests/studies/slurm_here.sh again DIR DAEMON...    starts them again
#   tests/studies/slurm_here.sh saved DIR              waits until slurmctld has written down what it knows now: it
#                       does so some seconds later, and a kill before that loses jobs that sbatch has sent
#   tests/studies/slurm_here.sh stop DIR               ends daemons and jobs, leaves DIR/log alone
#
# A fixture is its folder: a daemon is known by the logs that it holds open there, a job by SLURM_CONF in its
# environment. So stop also finds what was left by one that was killed, and start stops before it starts.
# Two in different folders do not meet: each has its own ports, key and sockets.
# Not found is a process of a job that has left both its parent and its environment.
# Exit status: 0 it is up, or down; 1 a daemon does not come up (its log is printed); 2 bad usage.
set -u
PATH=$PATH:/usr/sbin:/sbin
daemons=(munged slurmctld slurmd)
seconds=60 # for a daemon to come up

usage() {
    echo "slurm_here.sh: $1" >&2
    exit 2
}

# A port that nobody listens at, below those that connections get. $1: one that is taken already.
free_port() {
    local port
    while port=$((20000 + RANDOM % 12000)); do
        [ "$port" = "${1-}" ] || (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    done
    echo "$port"
}

# configure CPUS KEY=VALUE...
configure() {
    local host cpus=$1 line control_port node_port
    shift
    host=$(uname -n)
    host=${host%%.*}
    control_port=$(free_port)
    node_port=$(free_port "$control_port")
    # config_overrides: the machine may have fewer CPUs. Intervals are as short as Slurm takes them.
    cat >"$dir/slurm.conf" <<END
# Written by slurm_here.sh
ClusterName=here
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$control_port
SlurmdPort=$node_port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$dir/munge/socket
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.own
SlurmdPidFile=$dir/slurmd.own
SlurmctldLogFile=$dir/log/slurmctld
SlurmdLogFile=$dir/log/slurmd
SlurmctldSyslogDebug=quiet
SlurmdSyslogDebug=quiet
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SwitchType=switch/none
MpiDefault=none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
JobRequeue=1
MaxArraySize=1001
MinJobAge=300
InactiveLimit=0
KillWait=1
SlurmdTimeout=6
SlurmctldTimeout=6
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
    echo "CgroupPlugin=cgroup/v1" >"$dir/cgroup.conf" # said, because it cannot be found out without cgroups
    for line; do
        sed -i "/^${line%%=*}=/Id" "$dir/slurm.conf"
        echo "$line" >>"$dir/slurm.conf"
    done
}

# launch DAEMON: runs it behind this program, in a session of its own.
launch() {
    local -a command
    case $1 in
    munged) command=(munged --force --foreground --socket="$dir/munge/socket" --key-file="$dir/munge/key"
        --seed-file="$dir/munge/seed" --pid-file="$dir/munge/own" --log-file="$dir/log/munged") ;;
    slurmctld) command=(slurmctld -D) ;;
    slurmd) command=(slurmd -D) ;;
    esac
    # Jobs get the environment of who sends them; the daemons have no part in what the caller has set.
    env -i PATH="$PATH" SLURM_CONF="$dir/slurm.conf" setsid "${command[@]}" \
        </dev/null >>"$dir/log/$1.out" 2>&1 9>&- &
    echo $! >"$dir/$1.pid"
    disown
}

answers() {
    case $1 in
    munged) munge -n --socket="$dir/munge/socket" | unmunge --socket="$dir/munge/socket" ;;
    slurmctld) scontrol ping | grep -q ' is UP' ;;
    slurmd) sinfo --noheader --format=%T | grep -Eqx 'idle|mixed|allocated|completing' ;;
    esac >/dev/null 2>&1
}

# up DAEMON: launches it and waits until it answers.
up() {
    local end=$((SECONDS + seconds))
    launch "$1"
    until answers "$1"; do
        if ! kill -0 "$(cat "$dir/$1.pid")" 2>/dev/null || [ $SECONDS -gt $end ]; then
            echo "slurm_here.sh: $1 does not come up; its log:" >&2
            tail -n 20 "$dir/log/$1.out" >&2
            return 1
        fi
        sleep 0.1
    done
}

# The daemons, those that watch over jobs, the jobs, and what they have started.
members() {
    local process name id
    for process in /proc/[0-9]*; do
        id=${process#/proc/}
        name=$(readlink "$process/exe" 2>/dev/null) || continue # it has ended
        case ${name##*/} in
        munged | slurmctld* | slurmd* | slurmstepd*) # Debian's are slurmd-wlm
            find "$process/fd" -lname "$dir/log/*" 2>/dev/null | grep -q . || continue
            ;;
        *)
            grep -zFqxs "SLURM_CONF=$dir/slurm.conf" "$process/environ" || continue
            grep -zqs '^SLURM_JOB_ID=' "$process/environ" || continue # the caller
            ;;
        esac
        echo "$id"
        descendants "$id"
    done
}

descendants() {
    local child
    for child in $(pgrep -P "$1"); do
        echo "$child"
        descendants "$child"
    done
}

# kill -9 for all of them, again until nothing is left: one may have started another meanwhile.
end_all() {
    local left
    while left=$(members); [ -n "$left" ]; do
        # shellcheck disable=SC2086  # a list
        kill -9 $left 2>/dev/null
        sleep 0.1
    done
}

# State is written as a whole: where a job is in it that was sent last, all before it is.
saved() {
    local mark=saved_$$ id
    id=$(env -i PATH="$PATH" SLURM_CONF="$SLURM_CONF" sbatch --parsable --hold --job-name="$mark" --chdir=/ \
        --output=/dev/null --wrap true) || return 1
    until grep -qs "$mark" "$dir/state/job_state"; do
        answers slurmctld || { echo "slurm_here.sh: slurmctld does not answer" >&2; return 1; }
        sleep 0.1
    done
    scancel "$id"
}

clear_state() {
    end_all
    rm -rf "$dir/munge" "$dir/state" "$dir/spool"
    rm -f "$dir"/*.pid "$dir"/*.own "$dir/cgroup.conf" "$dir/slurm.conf"
}

start() {
    local cpus=2 daemon line
    if [ $# -gt 0 ] && [ "${1#*=}" = "$1" ]; then
        cpus=$1
        shift
    fi
    [[ $cpus =~ ^[1-9][0-9]*$ ]] || usage "CPUS is a number from 1, not '$cpus'"
    for line; do
        [[ $line =~ ^[A-Za-z]+=. ]] || usage "'$line' is not KEY=VALUE"
    done
    # The address of a socket holds 108 bytes; that of a job's is DIR/spool/NODE_JOB.STEP.
    [ ${#dir} -le 60 ] || usage "$dir: at most 60 characters, for sockets will be in it; name a shorter one"
    [[ $dir =~ ^[A-Za-z0-9/._+-]+$ ]] || usage "$dir: slurm.conf takes no such name; name one of A-Z a-z 0-9 / . _ + -"
    for daemon in "${daemons[@]}"; do
        command -v "$daemon" >/dev/null || usage "$daemon is not installed; install Debian's slurm-wlm and munge"
    done
    mkdir -p "$dir" || exit 2
    trap 'clear_state; exit 130' INT TERM
    clear_state
    rm -rf "$dir/log"
    mkdir "$dir/munge" "$dir/state" "$dir/spool" "$dir/log"
    (umask 077 && head -c 128 /dev/urandom >"$dir/munge/key")
    exec 9<"$0"
    flock 9 # another fixture that starts may find the same port free
    configure "$cpus" "$@"
    for daemon in "${daemons[@]}"; do
        up "$daemon" || { clear_state; exit 1; }
    done
    echo "export SLURM_CONF=$dir/slurm.conf"
}

if [ $# -lt 2 ]; then
    sed -n 's/^#   //p' "$0" >&2
    exit 2
fi
act=$1
dir=$(realpath -m -- "$2")
export SLURM_CONF=$dir/slurm.conf
shift 2
case $act in
start) start "$@" ;;
stop) clear_state ;;
kill | again | saved)
    [ -f "$SLURM_CONF" ] || usage "$dir: nothing was started there"
    if [ "$act" = saved ]; then
        saved
        exit
    fi
    for daemon; do
        [[ " ${daemons[*]} " == *" $daemon "* ]] || usage "there is no daemon '$daemon': ${daemons[*]}"
        if [ "$act" = kill ]; then
            kill -9 "$(cat "$dir/$daemon.pid")" || exit 1
            while readlink "/proc/$(cat "$dir/$daemon.pid")/exe" >/dev/null; do sleep 0.1; done
        else
            up "$daemon" || exit 1
        fi
    done
    ;;
*) usage "there is no '$act'; start, kill, again, saved or stop" ;;
esac
