#!/bin/bash
# An example of a campaign as a Slurm array job: each task runs its shard of one seed's cases.
#
#   fuzz=$(sbatch --parsable docs/ci/slurm.sh)
#   sbatch --dependency=afterany:"$fuzz" --wrap 'parallax merge campaign/shard-*/findings -o campaign/findings'
#
# The folder `campaign` is on a disk that all nodes share. A task that is requeued continues where it was.
#SBATCH --job-name=parallax
#SBATCH --array=1-100
#SBATCH --cpus-per-task=2
#SBATCH --mem=4G
#SBATCH --time=02:00:00
#SBATCH --requeue
set -euo pipefail
shard=campaign/shard-$SLURM_ARRAY_TASK_ID
mkdir -p "$shard"
code=0
parallax fuzz --target portable --profile all --seed 42 --seconds 3600 --jobs "${SLURM_CPUS_PER_TASK:-2}" \
  --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --findings "$shard/findings" || code=$?
# 1 is a finding, which the merge reports; 2 and 3 are a campaign that did not run, and the task has failed.
[ "$code" -le 1 ] || exit "$code"
