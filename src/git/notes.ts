import { readBlob } from './objects.ts'
import { type Oid, parseOid } from './oid.ts'
import type { Person, Quarantine } from './quarantine.ts'
import { readRef } from './refs.ts'
import type { Repository } from './repository.ts'
import { findEntry, listFiles } from './tree-files.ts'

/** The text that is noted on a commit. */
export type NoteOf = { commit: Oid; text: string }

/** Where the note of a commit stands in a notes tree: fanned out by two digits, as `git notes` does itself. */
const notePath = (commit: Oid): string => `${commit.slice(0, 2)}/${commit.slice(2)}`

/** The text of the commit's note under a notes ref, undefined when it has none; `tip` is the ref's commit. */
export async function readNote(repo: Repository, tip: Oid, commit: Oid): Promise<string | undefined> {
  // Notes that somebody added with git stand without fanout while they are few.
  const entry = (await findEntry(repo, tip, notePath(commit))) ?? (await findEntry(repo, tip, commit))
  const blob = entry && (await readBlob(repo, entry.oid))
  return blob?.toString('utf8')
}

/**
 * Writes notes on commits into the quarantine, on top of the notes ref's present value. Gives the ref's move, to be made
 * together with the refs that the notes speak of.
 */
export async function writeNotes(
  repo: Repository,
  quarantine: Quarantine,
  ref: string,
  notes: readonly NoteOf[],
  committer: Person,
  message = 'Note the identity of pages and files',
): Promise<{ ref: string; from: Oid | null; to: Oid }> {
  const from = (await readRef(repo, ref)) ?? null
  const base = from && (await findEntry(repo, from, ''))
  const changes = []
  for (const { commit, text } of notes) {
    changes.push({ path: notePath(commit), oid: await quarantine.writeBlob(Buffer.from(text)) })
  }
  const tree = await quarantine.writeTree(base ? base.oid : null, changes)
  const parents = from ? [from] : []
  const to = await quarantine.writeCommit({ tree, parents, author: committer, committer, message })
  return { ref, from, to }
}

/** The texts of all notes under a notes ref, by the commit that each is about; `tip` is the ref's commit. */
export async function listNotes(repo: Repository, tip: Oid): Promise<Map<Oid, string>> {
  const notes = new Map<Oid, string>()
  for (const { path, oid } of (await listFiles(repo, tip)).files) {
    const commit = parseOid(path.replaceAll('/', ''))
    const blob = commit && (await readBlob(repo, oid))
    if (commit && blob) notes.set(commit, blob.toString('utf8'))
  }
  return notes
}
