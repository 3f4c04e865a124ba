import { type Oid, parseOid } from '../../lib/oid.ts'

/** The kind of conflict at one path. */
export type ConflictType =
  | 'content'
  | 'add/add'
  | 'binary'
  | 'modify/delete'
  | 'rename/delete'
  | 'rename/rename'
  | 'rename/add'
  | 'file/directory'
  | 'distinct types'
  | 'submodule'
  | 'other'

export type Side = { oid: Oid; mode: string }

/** A path that could not be merged, with the version of each side that has one. */
export type MergeConflict = {
  path: string
  type: ConflictType
  stages: { base?: Side; ours?: Side; theirs?: Side }
  message: string
}

/**
 * Parses the output of a conflicting `merge-tree --write-tree -z`: the tree, the stages of each
 * path, and the messages. Returns undefined when the output does not start with a tree: then no
 * merge took place.
 */
export function parseMergeTree(
  output: Buffer,
): { tree: Oid; conflicts: MergeConflict[] } | undefined {
  const tokens = output.toString('utf8').split('\0')
  const tree = parseOid(tokens[0] ?? '')
  if (!tree) return undefined

  const conflicts = new Map<string, MergeConflict>()
  let at = 1

  for (; at < tokens.length && tokens[at] !== ''; at++) {
    const [, mode, oid, stage, path] =
      /^(\d+) ([0-9a-f]{40}) ([123])\t(.*)$/s.exec(tokens[at]!) ?? []
    if (!mode || !oid || path === undefined) continue
    const side = stage === '1' ? 'base' : stage === '2' ? 'ours' : 'theirs'
    conflictAt(conflicts, path).stages[side] = { oid: oid as Oid, mode }
  }

  readMessages(tokens.slice(at + 1), conflicts)
  const all = [...conflicts.values()]

  return {
    tree,
    conflicts: all.map(conflict => ({ ...conflict, message: sentences[conflict.type] })),
  }
}

/**
 * Messages are "<count> \0 paths… \0 type \0 text"; those that are not conflicts ("Auto-merging")
 * are skipped.
 */
function readMessages(tokens: readonly string[], conflicts: Map<string, MergeConflict>): void {
  for (let at = 0; at < tokens.length && /^\d+$/.test(tokens[at]!); ) {
    const count = Number(tokens[at])
    const paths = tokens.slice(at + 1, at + 1 + count)
    const [kind = '', text = ''] = tokens.slice(at + 1 + count, at + 3 + count)
    at += 3 + count
    if (!kind.startsWith('CONFLICT')) continue

    const type = typeOf(kind, text)
    const staged = paths.filter(path => conflicts.has(path))

    for (const path of staged.length > 0 ? staged : paths.slice(0, 1)) {
      const conflict = conflictAt(conflicts, path)
      // "contents" is reported for everything with markers; a more specific type wins.
      if (conflict.type === 'content') conflict.type = type
    }
  }
}

function conflictAt(conflicts: Map<string, MergeConflict>, path: string): MergeConflict {
  let conflict = conflicts.get(path)
  if (!conflict) {
    conflict = { path, type: 'content', stages: {}, message: '' }
    conflicts.set(path, conflict)
  }
  return conflict
}

function typeOf(kind: string, text: string): ConflictType {
  const words = `${kind} ${/^CONFLICT \([^)]*\)/.exec(text)?.[0] ?? ''}`
  const found = (Object.keys(sentences) as ConflictType[]).find(type => words.includes(`(${type}`))
  if (found) return found
  if (words.includes('distinct modes')) return 'distinct types'
  if (words.includes('rename involved in collision')) return 'rename/add'

  return words.includes('submodule')
    ? 'submodule'
    : words.includes('(contents')
      ? 'content'
      : 'other'
}

// The order matters: the first matching type wins.
const sentences: Record<ConflictType, string> = {
  'add/add': 'Both sides added the file, with different content.',
  binary: 'Both sides changed a file that is not text.',
  'modify/delete': 'One side changed the file, the other deleted it.',
  'rename/delete': 'One side renamed the file, the other deleted it.',
  'rename/rename': 'Both sides renamed the file, to different names.',
  'rename/add': 'One side renamed a file to a name that the other side also uses.',
  'file/directory': 'One side has a file where the other has a folder.',
  'distinct types': 'The two sides have entries of different types here.',
  submodule: 'Both sides changed the submodule.',
  content: 'Both sides changed the same lines.',
  other: 'The two sides cannot be merged here.',
}
