import { objectId, type PackEntry, packOf } from './raw-pack.ts'

const who = 'Mallory <mallory@example.org> 1700000000 +0000'
export const page = Buffer.from('# Page\n')
export const pageOid = objectId('blob', page)

export type Named = [mode: string, name: string | Buffer, oid: string]

export const treeOf = (entries: readonly Named[]): Buffer =>
  Buffer.concat(
    entries.flatMap(([mode, name, oid]) => [
      Buffer.from(`${mode} `),
      Buffer.from(name as string),
      Buffer.from([0]),
      Buffer.from(oid, 'hex'),
    ]),
  )

/** A commit with its pack. */
export type Crafted = { pack: Buffer; commit: Buffer; to: string }

/** Crafts a commit whose tree is the last of these trees. */
export function craft(
  parents: readonly string[],
  trees: readonly Buffer[],
  more: readonly PackEntry[] = [{ type: 'blob', content: page }],
): Crafted {
  const commit = Buffer.from(
    `tree ${objectId('tree', trees.at(-1)!)}\n${parents.map(each => `parent ${each}\n`).join('')}author ${who}\ncommitter ${who}\n\nCrafted\n`,
  )
  const entries: PackEntry[] = [
    { type: 'commit', content: commit },
    ...trees.map((content): PackEntry => ({ type: 'tree', content })),
    ...more,
  ]

  return { pack: packOf(entries), commit, to: objectId('commit', commit) }
}
