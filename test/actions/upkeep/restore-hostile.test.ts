import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { extract, type Header, pack } from 'tar-stream'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createSpace } from '../../../src/actions/spaces/create-space.ts'
import { backup } from '../../../src/actions/upkeep/backup.ts'
import type { Manifest } from '../../../src/actions/upkeep/manifest.ts'
import { manifestText } from '../../../src/actions/upkeep/manifest.ts'
import { restore } from '../../../src/actions/upkeep/restore.ts'
import { Fault } from '../../../src/errors.ts'
import { findUser } from '../../../src/store/people/users.ts'
import { startApp } from '../../support/app.ts'
import { runs } from '../../support/long-run.ts'

type Entry = { header: Header; content: Buffer }

const passphrase = 'correct horse battery staple'
const top = mkdtempSync(join(tmpdir(), 'stemma-restore-'))
const target = join(top, 'a', 'data')
const plain = join(top, 'plain.tar')
const sealed = join(top, 'sealed.tar.age')
const broken = join(top, 'broken.tar')
let spaceId = ''
let entries: Entry[] = []

test.before(async () => {
  const app = await startApp()
  const { id } = await createSpace(
    app.ctx,
    { organization_id: 'acme', title: 'Docs' },
    findUser(app.ctx.store, app.admin.id)!,
  )

  spaceId = id
  await backup(app.ctx, plain, { program: '1' })
  await backup(app.ctx, sealed, { program: '1', passphrase })
  await app.stop()
  entries = await readEntries(readFileSync(plain))
  mkdirSync(target, { recursive: true })
})
test.after(() => rmSync(top, { recursive: true, force: true }))

async function readEntries(bytes: Buffer): Promise<Entry[]> {
  const found: Entry[] = []
  const tar = extract()
  Readable.from([bytes]).pipe(tar)

  for await (const entry of tar) {
    const parts: Buffer[] = []
    for await (const part of entry as AsyncIterable<Buffer>) parts.push(part)
    found.push({ header: entry.header, content: Buffer.concat(parts) })
  }

  return found
}

async function writeEntries(list: readonly Entry[]): Promise<Buffer> {
  const tar = pack()
  for (const { header, content } of list)
    tar.entry(
      { name: header.name, type: header.type ?? 'file', linkname: header.linkname ?? '' },
      content,
    )

  tar.finalize()
  const parts: Buffer[] = []

  for await (const part of tar as AsyncIterable<Buffer>) parts.push(part)

  return Buffer.concat(parts)
}

const entry = (name: string, content: string | Buffer, more: Partial<Header> = {}): Entry => ({
  header: { name, ...more } as Header,
  content: Buffer.from(content),
})

/** Replaces the manifest and its digest; the files are renamed and digested as listed now. */
function withManifest(
  change: (manifest: Manifest) => void,
  list: readonly Entry[] = entries,
): Entry[] {
  const { digest: _, ...manifest } = JSON.parse(list.at(-1)!.content.toString()) as Manifest & {
    digest: string
  }
  change(manifest)
  return [...list.slice(0, -1), entry('manifest.json', manifestText(manifest))]
}

/** Replaces one file of the backup and adapts the manifest. */
const withFile = (name: string, content: Buffer): Entry[] =>
  withManifest(
    manifest => {
      const file = manifest.files.find(each => each.name === name)!
      Object.assign(file, {
        bytes: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
      })
    },
    entries.map(each => (each.header.name === name ? entry(name, content) : each)),
  )

/** The database of the backup after running this SQL. */
function databaseAfter(sql: string): Buffer {
  const file = join(top, 'changed.db')
  writeFileSync(file, entries.find(each => each.header.name === 'stemma.db')!.content)
  const database = new Database(file)
  database.pragma('foreign_keys = OFF')
  database.exec(sql)
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
  const bytes = readFileSync(file)

  rmSync(file)

  return bytes
}

/** Everything outside the target that a restore could have touched. */
const outside = () =>
  readdirSync(top, { recursive: true, encoding: 'utf8' })
    .filter(name => name !== 'broken.tar' && !name.startsWith('a/data/'))
    .sort()
    .map(
      name => `${name} ${statSync(join(top, name)).isFile() ? statSync(join(top, name)).size : ''}`,
    )

/**
 * Returns the message that a restore of these bytes fails with. Throws unless the folders are
 * unchanged.
 */
async function refusal(bytes: Buffer, words?: string): Promise<string> {
  writeFileSync(broken, bytes)
  const before = outside()
  try {
    await restore(broken, target, { passphrase: words })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    assert.equal(readdirSync(target), [], 'the target is not empty')
    assert.equal(outside(), before, 'files outside the target changed')
    return error.message
  }

  return 'taken'
}

/** Empties the target after a successful restore. */
function clear(): void {
  for (const name of readdirSync(target)) rmSync(join(target, name), { recursive: true })
}

test('ids and names that lead out of the folder are refused', async () => {
  const hostile: [string, Entry[], RegExp][] = [
    [
      'a space',
      withManifest(manifest => Object.assign(manifest.spaces[0]!, { id: `../spaces/${spaceId}` })),
      /spaces\.0\.id/,
    ],
    [
      'a deep space',
      withManifest(manifest => Object.assign(manifest.spaces[0]!, { id: '..' })),
      /spaces\.0\.id/,
    ],
    [
      'an organization',
      withManifest(manifest =>
        Object.assign(manifest, { descriptions: [{ organization: '../../x', refs: {} }] }),
      ),
      /descriptions\.0\.organization/,
    ],
    [
      'a file',
      withManifest(manifest => Object.assign(manifest.files[0]!, { name: '../key' })),
      /files\.0\.name/,
    ],
    [
      'a branch',
      withManifest(manifest =>
        Object.assign(manifest.spaces[0]!, { defaultBranch: '/etc/passwd' }),
      ),
      /defaultBranch/,
    ],
    [
      'a space twice',
      withManifest(manifest => void manifest.spaces.push(manifest.spaces[0]!)),
      /twice/,
    ],
    ['..', [...entries.slice(0, 1), entry('../../out', 'x'), ...entries.slice(1)], /unexpected/],
    [
      'a path',
      [...entries.slice(0, 1), entry('spaces/../../out.bundle', 'x'), ...entries.slice(1)],
      /unexpected/,
    ],
    [
      'an absolute path',
      [...entries.slice(0, 1), entry('/tmp/out', 'x'), ...entries.slice(1)],
      /unexpected/,
    ],
    [
      'a link',
      [...entries.slice(0, 1), entry('key', '', { type: 'symlink', linkname: '/etc/passwd' })],
      /unexpected/,
    ],
    [
      'a hard link',
      [...entries.slice(0, 1), entry('key', '', { type: 'link', linkname: '/etc/passwd' })],
      /unexpected/,
    ],
    ['a file twice', [...entries.slice(0, 2), ...entries.slice(1)], /unexpected/],
    [
      'a file that is not in the manifest',
      [...entries.slice(0, 1), entry('spaces/more.bundle', 'x'), ...entries.slice(1)],
      /does not name/,
    ],
    ['a file after the end', [...entries, entry('spaces/more.bundle', 'x')], /unexpected/],
  ]
  for (const [what, list, sentence] of hostile)
    assert.match(await refusal(await writeEntries(list)), sentence, what)
})

test('a database with ids that lead out of the folder, or with foreign triggers or views, is refused', async () => {
  for (const [sql, sentence] of [
    [`update space set id = '../../x'`, /is damaged/],
    [`update organization set id = '..'`, /is damaged/],
    ['create trigger x after insert on token begin delete from space; end', /trigger "x"/],
    ['create view x as select * from token', /view "x"/],
  ] as const)
    assert.match(
      await refusal(await writeEntries(withFile('stemma.db', databaseAfter(sql)))),
      sentence,
      sql,
    )
  assert.match(await refusal(await writeEntries(withFile('key', Buffer.alloc(31)))), /32 bytes/)
})

test('a changed manifest is detected; a manifest of version 1, without a digest, is restored', async () => {
  const text = entries.at(-1)!.content.toString()
  const renamed = [
    ...entries.slice(0, -1),
    entry('manifest.json', text.replace('"Docs"', '"Dogs"')),
  ]

  assert.match(await refusal(await writeEntries(renamed)), /manifest is not as it was written/)
  const old = [
    ...entries.slice(0, -1),
    entry('manifest.json', text.replace(/,\n "digest": "\w+"/, '')),
  ]

  assert.not.equal(old.at(-1)!.content.toString(), text)
  assert.is(await refusal(await writeEntries(old)), 'taken')
  assert.equal(readdirSync(target).sort(), ['key', 'spaces', 'stemma.db'])
  clear()
})

test('a backup with any changed byte is refused or restored unchanged, and never writes outside the folder', async () => {
  const bytes = readFileSync(plain)
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 })), {
        minLength: 1,
        maxLength: 3,
      }),
      async changes => {
        const changed = Buffer.from(bytes)
        for (const [at, mask] of changes) changed[at]! ^= mask
        if ((await refusal(changed)) !== 'taken') return
        assert.ok(
          readFileSync(join(target, 'key')).equals(
            entries.find(each => each.header.name === 'key')!.content,
          ),
        )
        assert.ok(existsSync(join(target, 'spaces', spaceId.slice(0, 2), `${spaceId}.git`)))
        clear()
      },
    ),
    { numRuns: runs(60) },
  )
})

test('an encrypted backup opens with its passphrase only, and any change or truncation is refused', async () => {
  const bytes = readFileSync(sealed)
  assert.not(bytes.includes('manifest.json'))
  assert.is(statSync(sealed).mode & 0o777, 0o600)
  assert.match(await refusal(bytes), /is encrypted\. Give its passphrase/)
  assert.match(await refusal(bytes, 'another passphrase'), /the passphrase is wrong/)
  assert.match(
    await refusal(readFileSync(plain), passphrase),
    /not encrypted, but a passphrase is given/,
  )

  for (const cut of [bytes.length - 1, bytes.length - 16, Math.floor(bytes.length / 2), 216])
    assert.match(
      await refusal(bytes.subarray(0, cut), passphrase),
      /cannot be decrypted/,
      String(cut),
    )

  for (const at of [30, 150, 300, Math.floor(bytes.length / 2), bytes.length - 1]) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    assert.match(await refusal(changed, passphrase), /cannot be decrypted/, String(at))
  }

  assert.is(await refusal(bytes, passphrase), 'taken')
  clear()
})

test('leftovers of a killed restore do not block the next one, which removes them', async () => {
  mkdirSync(join(target, 'restoring', 'unpacked', 'spaces'), { recursive: true })
  writeFileSync(join(target, 'restoring', 'unpacked', 'key'), 'half')
  await restore(plain, target)
  assert.equal(readdirSync(target).sort(), ['key', 'spaces', 'stemma.db'])
  clear()
})

test.run()
