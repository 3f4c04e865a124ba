import { type Oid, parseOid } from '../../lib/oid.ts'
import { readBlob } from '../objects/objects.ts'
import type { Repository } from '../process/processes.ts'
import { findEntry, listFiles } from '../trees/tree-files.ts'
import type { Person, Quarantine } from './quarantine.ts'

/** The text of a note and its commit. */
export type NoteOf = { commit: Oid; text: string }

/** The path of a commit's note in a notes tree: fanned out by two digits, as `git notes` does. */
const notePath = (commit: Oid): string => `${commit.slice(0, 2)}/${commit.slice(2)}`

/**
 * Returns the text of a commit's note, undefined when it has none; `tip` is the commit of the notes
 * ref.
 */
export async function readNote(
  repo: Repository,
  tip: Oid,
  commit: Oid,
): Promise<string | undefined> {
  // Small notes trees written by git itself have no fanout.
  const entry =
    (await findEntry(repo, tip, notePath(commit))) ?? (await findEntry(repo, tip, commit))
  const blob = entry && (await readBlob(repo, entry.oid))
  return blob?.toString('utf8')
}

/**
 * Writes notes into the quarantine, on top of `from`, the present value of the notes ref. Returns the
 * ref update, to be made together with the refs that the notes concern.
 */
export async function writeNotes(
  repo: Repository,
  quarantine: Quarantine,
  { ref, from }: { ref: string; from: Oid | undefined },
  notes: readonly NoteOf[],
  committer: Person,
  message = 'Note the identity of pages and files',
): Promise<{ ref: string; from: Oid | null; to: Oid }> {
  const base = from && (await findEntry(repo, from, ''))
  const changes = []
  for (const { commit, text } of notes) {
    changes.push({ path: notePath(commit), oid: await quarantine.writeBlob(Buffer.from(text)) })
  }
  const tree = await quarantine.writeTree(base ? base.oid : null, changes)
  const parents = from ? [from] : []
  const to = await quarantine.writeCommit({ tree, parents, author: committer, committer, message })

  return { ref, from: from ?? null, to }
}

/** Returns the texts of all notes by commit; `tip` is the commit of the notes ref. */
export async function listNotes(repo: Repository, tip: Oid): Promise<Map<Oid, string>> {
  const notes = new Map<Oid, string>()
  for (const { path, oid } of (await listFiles(repo, tip)).files) {
    const commit = parseOid(path.replaceAll('/', ''))
    const blob = commit && (await readBlob(repo, oid))
    if (commit && blob) notes.set(commit, blob.toString('utf8'))
  }
  return notes
}
