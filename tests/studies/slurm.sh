#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Slurm that tests start for themselves (slurm_here.sh), and what the tree expects of Slurm: an array with a limit
# and a job behind it, after tasks that are killed or cancelled and through crashes of its daemons. Nothing is
# waited for by the clock.
#
#   tests/studies/slurm.sh BUILD_DIR
# shellcheck source=tests/own_rtl/want.sh
. "$(dirname "$0")/../own_rtl/want.sh"
here=$root/tests/studies/slurm_here.sh
trap '"$here" stop one; "$here" stop two; rm -rf "$tmp"' EXIT
trap 'exit 143' INT TERM
unset "${!SBATCH_@}" "${!SLURM_@}"

# at FIXTURE COMMAND...: with the Slurm in that folder.
at() { SLURM_CONF=$tmp/$1/slurm.conf "${@:2}"; }
# task FIXTURE ID: its line of scontrol.
task() { at "$1" scontrol --oneliner show job "$2" | grep -o 'JobState=.*ExitCode=[^ ]*'; }
# until_there FILE...: jobs have written them, or no job is left that could: all but what `saved` sends.
until_there() {
    local file
    for file; do
        until [ -s "$file" ] || ! at one squeue --noheader --format=%r | grep -vq JobHeldUser; do sleep 0.1; done
    done
}
# gone ID...: none of these processes runs; a zombie that nobody waits for has no program.
gone() {
    local id
    for id; do ! readlink "/proc/$id/exe" || return 1; done
}

want "no folder" 2 'start DIR' "$here" start
want "no such act" 2 "there is no 'begin'" "$here" begin one
want "CPUS that are none" 2 "not 'two'" "$here" start one two
want "a name that slurm.conf does not take" 2 'takes no such name' "$here" start "o n e"
want "a folder with a long name" 2 'at most 60' "$here" start "$(printf 'x%.0s' {1..60})"
want "a crash where nothing runs" 2 'nothing was started' "$here" kill one slurmd
want "a daemon that does not come up" 1 'unrecognized key: Nonsense' "$here" start one 2 Nonsense=3
want "a fixture" 0 "^export SLURM_CONF=$tmp/one/slurm.conf$" "$here" start one 4
want "another beside it" 0 "^export SLURM_CONF=$tmp/two/slurm.conf$" "$here" start two 3 MinJobAge=2
want "its CPUs" 0 '^3$' at two sinfo --noheader --format=%c
want "its line of slurm.conf" 0 '^MinJobAge += 2 sec$' at two scontrol show config

# Twenty tasks, of which 3 and 5 wait to be killed. While they do no third begins, though CPUs are free.
cat >twenty <<'END'
#!/bin/sh
case $SLURM_ARRAY_TASK_ID in
3 | 5) echo $$ >wait.$SLURM_ARRAY_TASK_ID && exec sleep 1000 ;;
7) exit 7 ;;
esac
echo "$SLURM_ARRAY_TASK_ID" >>ran
END
array=$(at one sbatch --parsable --array=3,5,0-2,4,6-19%2 --output=/dev/null twenty)
at one sbatch --dependency="afterany:$array" --output=/dev/null --wrap 'sort -n ran >gathered' >said
until_there wait.3 wait.5
rows=(at one squeue --noheader --array --jobs="$array")
# A job of less priority begins: the array's turn has been.
at one sbatch --output=/dev/null --wrap 'echo x >turn' >said
until_there turn
want "two at a time" 0 '^PENDING 14$' awk '$1 > 5 { n[$2]++ } END { for (state in n) print state, n[state] }' \
    <("${rows[@]}" --states=all --format='%K %T')
kill -9 "$(cat wait.3)"
want "scancel" 0 '' at one scancel "${array}_5"
until_there gathered
want "what ran was there before the job behind it" 0 '^17$' awk 'END { print NR }' gathered
want "a task that is killed" 0 '^JobState=FAILED Reason=JobLaunchFailure .*ExitCode=0:9$' task one "${array}_3"
want "one that is cancelled" 0 '^JobState=CANCELLED .*ExitCode=0:15$' task one "${array}_5"
want "one that fails" 0 '^JobState=FAILED Reason=NonZeroExitCode .*ExitCode=7:0$' task one "${array}_7"
want "one that ends well" 0 '^JobState=COMPLETED .*ExitCode=0:0$' task one "${array}_19"
want "... and all others" 0 '^17$' awk '/COMPLETED/ { n++ } END { print n }' \
    <("${rows[@]}" --states=all --format=%T)

# Crashes: what runs goes on, what waits stays.
cat >long <<'END'
#!/bin/sh
echo "$SLURM_ARRAY_TASK_ID ${SLURM_RESTART_COUNT-0}" >>begun
echo $$ >up.$SLURM_ARRAY_TASK_ID
until [ -e goon ]; do sleep 0.1; done
END
array=$(at one sbatch --parsable --array=0-1 --output=/dev/null long)
at one sbatch --dependency="afterany:$array" --output=/dev/null --wrap 'echo x >gathered.2' >said
until_there up.0 up.1
want "the state on the disk" 0 '' "$here" saved one
for daemon in slurmd slurmctld; do
    want "$daemon crashes" 0 '' "$here" kill one $daemon
    want "... and is gone" 0 '' gone "$(cat one/$daemon.pid)"
    want "$daemon again" 0 '' "$here" again one $daemon
done
want "the task has stayed" 0 '' readlink "/proc/$(cat up.0)/exe"
touch goon
until_there gathered.2
want "it has not begun again" 0 '^0 0 1 0$' paste -sd ' ' <(sort begun)
want "it has ended" 0 '^JobState=COMPLETED .*Restarts=0 .*ExitCode=0:0$' task one "${array}_0"

# The end, with jobs that will not: one ignores signals, one has a child of another session without environment.
cat >stubborn <<'END'
#!/bin/sh
trap '' TERM INT HUP
env -i setsid sleep 1001 &
echo $! $$ >stubborn.up
wait
END
at one sbatch --output=/dev/null stubborn >said
until_there stubborn.up
read -r -a processes <stubborn.up
processes+=("$(cat one/munged.pid)" "$(cat one/slurmctld.pid)" "$(cat one/slurmd.pid)")
want "stop" 0 '' "$here" stop one
want "nothing runs" 0 '' gone "${processes[@]}"
want "the logs are left" 0 '^log$' ls one
want "the other is left alone" 0 ' is UP' at two scontrol ping
want "a start over one that runs" 0 '^export' "$here" start two
want "it is a new one" 0 '^300 sec' sed -n 's/^MinJobAge *= //p' <(at two scontrol show config)
want "stop of the other" 0 '' "$here" stop two
want "stop again" 0 '' "$here" stop two
verdict
