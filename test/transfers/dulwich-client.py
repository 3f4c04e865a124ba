# A client of dulwich: clones, pushes, and tries what is refused. Prints a line for each step.
import io
import os
import sys

from dulwich import porcelain

address, token, folder = sys.argv[1:4]
login = {"username": "x", "password": token}

repo = porcelain.clone(address, folder, errstream=io.BytesIO(), **login)
print("cloned", repo.head().decode())


def commit(name):
    with open(os.path.join(folder, name), "w") as file:
        file.write(f"# {name}\n")
    porcelain.add(repo, [os.path.join(folder, name)])
    who = b"Dul <dul@example.org>"
    return porcelain.commit(repo, f"Add {name}".encode(), author=who, committer=who).decode()


def push(spec):
    said = io.BytesIO()
    porcelain.push(repo, address, spec.encode(), outstream=io.BytesIO(), errstream=said, **login)
    failed = [line for line in said.getvalue().decode().splitlines() if " failed: " in line]
    return failed[0] if failed else None


for step, name, ref in [
    ("pushed", "main.md", "refs/heads/main"),
    ("proposed", "proposed.md", "refs/for/main"),
    ("branched", "branched.md", "refs/heads/topic"),
]:
    made = commit(name)
    print(step, push(f"refs/heads/main:{ref}") or made)
repo.refs[b"refs/tags/v1"] = repo.head()
print("tag:", push("refs/tags/v1:refs/tags/v1"))
try:
    porcelain.clone(address, f"{folder}-wrong", errstream=io.BytesIO(), username="x", password="wrong")
    print("token: taken")
except Exception as error:
    print("token:", type(error).__name__, error)
