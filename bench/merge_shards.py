"""Times `parallax merge` over many findings folders, as the shards of one campaign leave them.

The folders are copies of what one real shard left, each with a campaign row of its own. In every copy some findings
are the same bug in all shards and some are of that shard alone. Prints the seconds and checks how many findings came
out. Usage: merge_shards.py PROGRAM [--shards N] [--common N] [--own N]; exit code 1 where a finding was lost.
"""

import argparse
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def one_shard(program: str, folder: Path) -> Path:
    """The findings folder that a short campaign with a planted fault leaves, with at least one finding."""
    findings = folder / "template"
    fuzz = [program, "fuzz", "--target", "portable", "--plant", "F01", "--seed", "5", "--graphs", "200", "--jobs", "1"]
    done = subprocess.run([*fuzz, "--shard", "1/1", "--findings", findings], capture_output=True, text=True)
    if done.returncode != 1:
        sys.exit(f"the campaign with a planted fault ended with {done.returncode}: {done.stderr.strip()}")
    return findings


def write_shard(template: Path, shard: Path, number: int, shards: int, common: int, own: int) -> None:
    """A copy of the template as shard `number`, with `common` findings of every shard and `own` of this one alone."""
    shard.mkdir()
    finding = next(path for path in sorted(template.iterdir()) if path.is_dir())
    shutil.copy(template / "campaigns.db", shard / "campaigns.db")
    signatures = [f"shared {place}" for place in range(common)] + [f"shard {number} {place}" for place in range(own)]
    with sqlite3.connect(shard / "campaigns.db") as database:
        (description,) = database.execute("select description from campaigns").fetchone()
        described = json.loads(description)
        cases = json.loads(described["cases"])
        cases["shard"] = f"{number}/{shards}"
        described["cases"] = json.dumps(cases)
        database.execute("update campaigns set description = ?", (json.dumps(described),))
        row = database.execute("select * from findings").fetchone()
        database.execute("delete from findings")
        for place, signature in enumerate(signatures):
            name = f"{number:X}-{place}"
            shutil.copytree(finding, shard / name)
            document = json.loads((shard / name / "finding.json").read_text())
            document |= {"id": name, "signature": signature}
            (shard / name / "finding.json").write_text(json.dumps(document))
            values = (row[0], signature, *row[2:5], str(shard / name), *row[6:])
            database.execute(f"insert into findings values ({','.join('?' * len(values))})", values)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="the parallax program")
    parser.add_argument("--shards", type=int, default=1000)
    parser.add_argument("--common", type=int, default=4)
    parser.add_argument("--own", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        template = one_shard(options.program, folder)
        shards = [folder / f"shard{number}" for number in range(1, options.shards + 1)]
        for number, shard in enumerate(shards, 1):
            write_shard(template, shard, number, options.shards, options.common, options.own)
        begun = time.monotonic()
        merged = folder / "merged"
        subprocess.run([options.program, "merge", *shards, "-o", merged], check=True, stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - begun
        kept = sum(path.is_dir() for path in merged.iterdir())
    each = options.common + options.own
    asked = options.common + options.own * options.shards
    print(f"{options.shards} folders of {each} findings: {kept} of {asked} kept, {seconds:.1f} s")
    return 0 if kept == asked else 1


if __name__ == "__main__":
    sys.exit(main())
