import { join } from 'node:path'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { PackRefused } from '../../../src/git/receiving/pack-refused.ts'
import { arePlain, type PackObject } from '../../../src/git/receiving/plain-objects.ts'
import { withQuarantine } from '../../../src/git/receiving/quarantine.ts'
import { storePack } from '../../../src/git/receiving/store-pack.ts'
import { asOid, type Oid } from '../../../src/lib/oid.ts'
import { treeOf as rawTree } from '../../support/git/raw-commit.ts'
import { objectId, packOf } from '../../support/git/raw-pack.ts'
import { openBench } from '../../support/git/repo.ts'
import { runs } from '../../support/long-run.ts'

const bench = await openBench()
test.after(() => bench.remove())
const repo = await bench.create('target.git')

type Entry = { mode: string; name: Buffer; oid: string }

const blob: PackObject = {
  type: 'blob',
  content: Buffer.from('[submodule "x"]\n\turl = https://example.org/\n'),
}
const empty: PackObject = { type: 'tree', content: Buffer.alloc(0) }
const idOf = ({ type, content }: PackObject) => asOid(objectId(type, content))

const treeOf = (entries: readonly Entry[]): Buffer =>
  rawTree(entries.map(({ mode, name, oid }) => [mode, name, oid]))

const who = 'A Writer <writer@example.org> 1700000000 +0200'
const commitOf = (
  tree: Oid,
  { author = who, committer = who, more = '', end = '\n\nText\n' } = {},
): Buffer =>
  Buffer.from(`tree ${tree}\nauthor ${author}\ncommitter ${committer}${more}${end}`, 'latin1')

/** Returns a commit of a tree with these entries, as objects by id. */
function objectsOf(tree: Buffer, commit: (tree: Oid) => Buffer = commitOf): Map<Oid, PackObject> {
  const ofTree: PackObject = { type: 'tree', content: tree }
  const ofCommit: PackObject = { type: 'commit', content: commit(idOf(ofTree)) }
  return new Map([blob, empty, ofTree, ofCommit].map(each => [idOf(each), each]))
}

/** Returns whether Git takes a pack of these objects. */
const isTaken = (objects: ReadonlyMap<Oid, PackObject>): Promise<boolean> =>
  withQuarantine(repo, join(bench.folder, 'staging'), async quarantine => {
    await quarantine.writePack(packOf([...objects.values()]))
    return storePack(quarantine).then(
      () => true,
      error => assert.instance(error, PackRefused) as unknown as false,
    )
  })

const file = (name: string, mode = '100644'): Entry => ({
  mode,
  name: Buffer.from(name),
  oid: idOf(blob),
})
const folder = (name: string): Entry => ({
  mode: '40000',
  name: Buffer.from(name),
  oid: idOf(empty),
})
const sorted = (entries: readonly Entry[]): Entry[] => {
  const key = ({ mode, name }: Entry) =>
    mode === '40000' ? Buffer.concat([name, Buffer.from('/')]) : name
  return entries.toSorted((a, b) => key(a).compare(key(b)))
}

test('objects as Git writes them today are plain', async () => {
  const objects = objectsOf(
    treeOf(
      sorted([
        file('README.md'),
        file('.gitbook.yaml'),
        file('.gitignore'),
        folder('.github'),
        folder('.gitbook'),
        file('run', '100755'),
        file('link', '120000'),
        file('a name with spaces.md'),
        file('Ünïcödé.md'),
        file('章.md'),
        file('it’s – “quoted”.md'),
        folder('a'),
        file('a.md'),
        file('a-b'),
      ]),
    ),
    tree =>
      commitOf(tree, {
        author: 'Zoë <zoe@example.org> 0 -1130',
        more: '\nencoding ISO-8859-1\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----',
      }),
  )

  assert.ok(arePlain(objects))
  assert.ok(await isTaken(objects))
})

const refused: Record<string, Map<Oid, PackObject>> = {
  '.git': objectsOf(treeOf([folder('.git')])),
  '.GIT of a file': objectsOf(treeOf([file('.GIT')])),
  '.git with a dot': objectsOf(treeOf([folder('.git.')])),
  '.git with a space': objectsOf(treeOf([folder('.git ')])),
  'a stream of .git': objectsOf(treeOf([folder('.git::$INDEX_ALLOCATION')])),
  'a short name': objectsOf(treeOf([folder('git~1')])),
  'ignored characters': objectsOf(treeOf([folder('.g\u200cit')])),
  'an ignored character before the dot': objectsOf(treeOf([folder('\ufeff.git')])),
  'a folder behind a backslash': objectsOf(treeOf([file('a\\.git\\config')])),
  'a link to other modules': objectsOf(treeOf([file('.gitmodules', '120000')])),
  '..': objectsOf(treeOf([folder('..')])),
  'a name with a slash': objectsOf(treeOf([file('a/b')])),
  'no name': objectsOf(treeOf([file('')])),
  'another order': objectsOf(treeOf([file('b'), file('a')])),
  'a name twice': objectsOf(treeOf([file('a'), file('a')])),
  'a file and a folder of one name': objectsOf(treeOf([file('a'), file('a-b'), folder('a')])),
  'no object': objectsOf(treeOf([{ ...file('a'), oid: '0'.repeat(40) }])),
  'a cut tree': objectsOf(treeOf([file('a')]).subarray(0, -1)),
  'no author': objectsOf(treeOf([file('a')]), tree =>
    Buffer.from(`tree ${tree}\ncommitter ${who}\n\nText\n`),
  ),
  'two authors': objectsOf(treeOf([file('a')]), tree =>
    commitOf(tree, { committer: `${who}\nauthor ${who}` }),
  ),
  'no e-mail': objectsOf(treeOf([file('a')]), tree =>
    commitOf(tree, { author: 'A 1700000000 +0000' }),
  ),
  'a date with a zero': objectsOf(treeOf([file('a')]), tree =>
    commitOf(tree, { author: 'A <a> 01 +0000' }),
  ),
  'a date that overflows': objectsOf(treeOf([file('a')]), tree =>
    commitOf(tree, { author: 'A <a> 18446744073709551615 +0000' }),
  ),
  'a zero byte': objectsOf(treeOf([file('a')]), tree => commitOf(tree, { end: '\n\nTe\0xt\n' })),
}

test('objects that Git refuses are not plain', async () => {
  for (const [what, objects] of Object.entries(refused)) {
    assert.not(arePlain(objects), what)
    // Git only warns of two authors.
    if (what !== 'two authors') assert.not(await isTaken(objects), what)
  }
})

test('a tag, another mode, and a long or special name of a new object are left to Git', () => {
  for (const mode of ['100600', '100664', '160000', '040000'])
    assert.not(arePlain(objectsOf(treeOf([file('a', mode)]))), mode)
  const tree = idOf(empty)
  const tag = Buffer.from(`object ${tree}\ntype tree\ntag v1\ntagger ${who}\n\nText\n`)
  assert.not(arePlain(new Map([[asOid(objectId('tag', tag)), { type: 'tag', content: tag }]])))
  for (const name of ['.gitmodules', '.gitattributes', '.GITMODULES', 'x'.repeat(256)])
    assert.not(arePlain(objectsOf(treeOf([file(name)]))), name)
  const old = 'd'.repeat(40)

  for (const name of ['.gitmodules', '.gitattributes'])
    assert.ok(arePlain(objectsOf(treeOf([{ ...file(name), oid: old }]))), name)
})

const usual = <Value>(value: Value, others: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: others })

test('large trees are left to Git', () => {
  const named = (count: number) =>
    treeOf(Array.from({ length: count }, (_, n) => file(`${100_000 + n}.md`)))
  assert.ok(arePlain(objectsOf(named(5_000))))
  assert.not(arePlain(objectsOf(named(10_000))))
})

const piece = fc.constantFrom(
  ...[
    '.',
    '..',
    '.git',
    '.GiT',
    'git',
    '~1',
    'GIT~1',
    'gitmodules',
    'attributes',
    'ignore',
    'mailmap',
    'a',
    '/',
    '\\',
  ],
  ...[':', ' ', '\u200c', '\ufeff', '’', 'é', '\x01', '\x7f', 'book', 'gi7eba~1', '\xff'],
)
const name = fc
  .array(piece, { minLength: 1, maxLength: 3 })
  .map(parts => Buffer.from(parts.join('')))
const entry = fc
  .record({
    mode: usual(
      '100644',
      fc.constantFrom('100755', '120000', '40000', '100664', '0100644', '160000'),
    ),
    name,
  })
  .map(
    ({ mode, name }): Entry => ({ mode, name, oid: mode === '40000' ? idOf(empty) : idOf(blob) }),
  )
const person = fc
  .record({
    name: fc.constantFrom('A', '', 'A B ', '<', 'Zoë', 'A\\'),
    email: fc.constantFrom(' <a@b>', '<a>', ' <>', ' a', ' <a', ' <a>>', ' <<a>'),
    date: fc.constantFrom(
      ' 1700000000',
      ' 0',
      ' 01',
      '',
      ' -1',
      ' 1x',
      ' 99999999999',
      ' 18446744073709551615',
      '  1',
    ),
    zone: fc.constantFrom(' +0000', ' -1200', ' 0000', ' +00', '', ' +00000'),
  })
  .map(({ name, email, date, zone }) => `${name}${email}${date}${zone}`)
test('Git takes all plain objects', async () => {
  let [plain, others] = [0, 0]
  const property = fc.asyncProperty(
    fc.array(entry, { maxLength: 2 }),
    usual(true, fc.boolean()),
    fc.record({
      author: usual(who, person),
      committer: usual(who, person),
      more: usual(
        '',
        fc.constantFrom('\ngpgsig a\n b', '\nauthor x', '\n b', '\nencoding x', '\nmergetag x\n y'),
      ),
      end: usual('\n\nText\n', fc.constantFrom('', '\n', '\n\n', '\n\n\0', '\nText')),
    }),
    async (entries, inOrder, parts) => {
      const objects = objectsOf(treeOf(inOrder ? sorted(entries) : entries), tree =>
        commitOf(tree, parts),
      )
      if (!arePlain(objects)) {
        others++
        return
      }

      plain++
      assert.ok(await isTaken(objects))
    },
  )

  await fc.assert(property, { numRuns: runs(300) })
  assert.ok(plain > 0 && others > 0, `${plain} plain, ${others} others`)
})

test.run()
