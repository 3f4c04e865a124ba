# A client of libgit2: clones, pushes, and tries what is refused. Prints a line for each step.
import os
import sys

import pygit2

address, token, folder = sys.argv[1:4]


class Callbacks(pygit2.RemoteCallbacks):
    refused = None

    def push_update_reference(self, refname, message):
        self.refused = message


def login(password):
    return Callbacks(credentials=pygit2.UserPass("x", password))


repo = pygit2.clone_repository(address, folder, callbacks=login(token))
print("cloned", repo.head.target)


def commit(name):
    with open(os.path.join(folder, name), "w") as file:
        file.write(f"# {name}\n")
    repo.index.add(name)
    repo.index.write()
    who = pygit2.Signature("Lib", "lib@example.org")
    tree = repo.index.write_tree()
    return repo.create_commit("refs/heads/main", who, who, f"Add {name}", tree, [repo.head.target])


def push(spec):
    callbacks = login(token)
    repo.remotes["origin"].push([spec], callbacks=callbacks)
    return callbacks.refused


for step, name, ref in [
    ("pushed", "main.md", "refs/heads/main"),
    ("proposed", "proposed.md", "refs/for/main"),
    ("branched", "branched.md", "refs/heads/topic"),
]:
    made = commit(name)
    print(step, push(f"refs/heads/main:{ref}") or made)
repo.create_reference("refs/tags/v1", repo.head.target)
print("tag:", push("refs/tags/v1:refs/tags/v1"))
try:
    pygit2.clone_repository(address, f"{folder}-wrong", callbacks=login("wrong"))
    print("token: taken")
except Exception as error:
    print("token:", error)
