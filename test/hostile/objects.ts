import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { gitOutside } from '../support/git/repo.ts'

/** A tree entry, valid or not. */
export type Entry = { mode: string; name: string | Buffer; oid: string }

/** A repository on the host that stores any bytes: nothing is checked. */
export type RawRepository = {
  dir: string
  blob: (content: string | Buffer) => string
  tree: (entries: Entry[]) => string
  /** Writes an object of any kind. */
  put: (type: string, content: Buffer) => string
  /** Commits this tree to the branch "main"; returns the commit. */
  commit: (tree: string, options?: { text?: string; ref?: string; parents?: string[] }) => string
}

export const file = (name: string | Buffer, oid: string): Entry => ({ mode: '100644', name, oid })
export const folder = (name: string | Buffer, oid: string): Entry => ({ mode: '40000', name, oid })

export function makeRepository(host: string, name: string): RawRepository {
  const dir = join(host, `${name}.git`)
  gitOutside(host, ['init', '--quiet', '--bare', '-b', 'main', dir])
  const put = (type: string, content: Buffer): string => {
    const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])
    const oid = createHash('sha1').update(whole).digest('hex')
    const path = join(dir, 'objects', oid.slice(0, 2))
    if (existsSync(join(path, oid.slice(2)))) return oid
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, oid.slice(2)), deflateSync(whole, { level: 1 }))
    return oid
  }
  const bytes = (name: string | Buffer) => Buffer.from(name)
  const sortKey = ({ mode, name }: Entry) =>
    mode === '40000' ? Buffer.concat([bytes(name), Buffer.from('/')]) : bytes(name)

  return {
    dir,
    put,
    blob: content => put('blob', Buffer.from(content)),
    tree: entries => {
      const sorted = [...entries].sort((a, b) => Buffer.compare(sortKey(a), sortKey(b)))
      const parts = sorted.flatMap(({ mode, name, oid }) => [
        Buffer.from(`${mode} `),
        bytes(name),
        Buffer.from([0]),
        Buffer.from(oid, 'hex'),
      ])
      return put('tree', Buffer.concat(parts))
    },
    commit: (tree, { text, ref = 'refs/heads/main', parents = [] } = {}) => {
      const who = 'Mallory <mallory@example.org> 1700000000 +0000'
      const before = parents.map(parent => `parent ${parent}\n`).join('')
      const rest = text ?? `author ${who}\ncommitter ${who}\n\nHostile\n`
      const oid = put('commit', Buffer.from(`tree ${tree}\n${before}${rest}`))
      const path = join(dir, ref)
      mkdirSync(join(path, '..'), { recursive: true })
      writeFileSync(path, `${oid}\n`)
      return oid
    },
  }
}
