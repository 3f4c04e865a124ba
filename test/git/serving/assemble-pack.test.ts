import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Repository } from '../../../src/git/process/processes.ts'
import { packetsOf } from '../../../src/git/protocol/packet-reader.ts'
import { assemblePack } from '../../../src/git/serving/assemble-pack.ts'
import { findReachable } from '../../../src/git/serving/reachable.ts'
import { Spool } from '../../../src/git/serving/spool.ts'
import { isGitError } from '../../../src/git/values/errors.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { copyDelta, objectId, packOf } from '../../support/git/raw-pack.ts'
import {
  type Bench,
  commitFiles,
  fsck,
  gitOutside,
  main,
  openBench,
} from '../../support/git/repo.ts'
import { runs } from '../../support/long-run.ts'

let bench: Bench
test.before(async () => {
  bench = await openBench()
})
test.after(() => bench.remove())

const never = new AbortController().signal
const hidden = 'refs/stemma/hidden'
const newRepo = () => bench.create(`${randomBytes(8).toString('hex')}.git`)

type Options = { signal?: AbortSignal; windowBytes?: number; before?: () => void }

/**
 * Assembles the pack of some wants. Returns the pack and what the other bands say; undefined if it
 * is left to Git.
 */
async function assemble(repo: Repository, wants: readonly Oid[], options: Options = {}) {
  const spool = new Spool(`${bench.folder}/tmp`)
  const find = async () => {
    const { ids } = await findReachable(repo, wants)
    options.before?.()
    return ids
  }

  try {
    const answer = await assemblePack(repo, { find, signal: never, ...options }, spool)
    spool.end()
    const chunks: Buffer[] = []
    for await (const chunk of spool.read()) chunks.push(Buffer.from(chunk))
    if (!answer) return void assert.is(chunks.length, 0)

    const packets = [...packetsOf(Buffer.concat(chunks))].map(each =>
      each.kind === 'data' ? each.data : null,
    )

    assert.is(packets.shift()?.toString(), 'packfile\n')
    if (!answer.error) assert.is(packets.pop(), null)

    const of = (band: number) =>
      Buffer.concat(packets.map(data => (data?.[0] === band ? data.subarray(1) : Buffer.alloc(0))))

    return { error: answer.error, pack: of(1), text: of(3).toString() }
  } finally {
    await spool.close()
    assert.equal(readdirSync(`${bench.folder}/tmp`), [])
  }
}

/** The objects that some commits lead to, as Git lists them. */
const listed = ({ dir }: Repository, wants: readonly string[]) =>
  gitOutside(dir, ['rev-list', '--objects', '--no-object-names', ...wants])
    .split('\n')
    .sort()

/**
 * Asserts that the assembled pack is complete, has what the wants lead to and nothing else, and
 * nothing twice.
 */
async function check(
  repo: Repository,
  wants: readonly Oid[],
  options: Options = {},
): Promise<Buffer> {
  const { pack, error } = (await assemble(repo, wants, options))!
  assert.is(error, undefined)
  const target = await newRepo()
  const name = gitOutside(target.dir, ['index-pack', '--strict', '--stdin'], pack).split('\t')[1]
  const index = execFileSync(
    'git',
    ['cat-file', '--batch-all-objects', '--batch-check=%(objectname)'],
    {
      cwd: target.dir,
    },
  )
  const expected = listed(repo, wants)

  assert.equal(index.toString().trim().split('\n').sort(), expected)
  const lines = gitOutside(target.dir, [
    'verify-pack',
    '-v',
    `objects/pack/pack-${name}.pack`,
  ]).split('\n')

  assert.is(lines.filter(line => /^[0-9a-f]{40} /.test(line)).length, expected.length)
  for (const [i, oid] of wants.entries())
    gitOutside(target.dir, ['update-ref', `refs/heads/want-${i}`, oid])
  fsck(target)

  return pack
}

/** Packs these objects into a new pack. */
function packUp(
  { dir }: Repository,
  input: readonly string[],
  options: readonly string[] = [],
): void {
  const args = ['pack-objects', '-q', '--window=50', ...options, 'objects/pack/pack']
  gitOutside(dir, args, `${input.join('\n')}\n`)
}

/** Removes the loose files of objects that are in packs. */
const prune = ({ dir }: Repository) => gitOutside(dir, ['prune-packed'])

/** Makes loose objects of all packs. */
function unpack({ dir }: Repository): void {
  const folder = join(dir, 'objects/pack')
  const packs = readdirSync(folder).filter(name => name.endsWith('.pack'))
  const contents = packs.map(name => readFileSync(join(folder, name)))
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
  for (const content of contents) gitOutside(dir, ['unpack-objects', '-q'], content)
}

/** Adds a pack as a push does: deltas against objects that it lacks, which Git appends. */
function pushThin({ dir }: Repository, revs: readonly string[]): void {
  const args = [
    'pack-objects',
    '--revs',
    '--thin',
    '--stdout',
    '-q',
    '--window=50',
    '--delta-base-offset',
  ]
  const pack = execFileSync('git', args, { cwd: dir, input: `${revs.join('\n')}\n` })
  execFileSync('git', ['index-pack', '--stdin', '--fix-thin'], {
    cwd: dir,
    input: pack,
    stdio: 'pipe',
  })
}

const texts = Array.from(
  { length: 60 },
  (_, n) => `Line ${n} of a page, ${(n * 7919) % 101} words.\n`,
)
/** A page of many lines, of which some are replaced: versions of it are deltas of each other. */
const page = fc
  .array(fc.tuple(fc.nat(59), fc.nat(9)), { maxLength: 4 })
  .map(edits =>
    texts
      .map((text, n) => text + edits.map(([at, to]) => (at === n ? `${to}\n` : '')).join(''))
      .join(''),
  )

const steps = fc.array(
  fc.record({
    ref: fc.constantFrom(main, main, 'refs/heads/topic', hidden),
    files: fc.dictionary(fc.constantFrom('a.md', 'b.md', 'f/c.md'), page, { minKeys: 1 }),
    /**
     * Whether the history goes on from the hidden commits, or another branch, with their content
     * alone.
     */
    copies: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
)

/**
 * The objects of a pack: those whose number has this remainder, or that are below it, or a thin
 * pack of new commits.
 */
const layout = fc.record({
  kind: fc.constantFrom('some', 'all', 'thin'),
  seed: fc.nat(6),
  byOffset: fc.boolean(),
})

test('an assembled pack has what Git lists, however the objects are stored', async () => {
  const property = fc.asyncProperty(
    steps,
    fc.array(layout, { maxLength: 5 }),
    fc.constantFrom(64, 500, 512 * 1024),
    async (commits, layouts, windowBytes) => {
      const repo = await newRepo()
      const first = await commitFiles(repo, { 'a.md': texts.join('') })
      const tips = new Map<string, Oid>([[main, first]])
      let last: Record<string, string> = {}

      for (const { ref, files, copies } of commits) {
        const content = copies ? { ...last, 'copy.md': Object.values(files)[0]! } : files
        tips.set(ref, await commitFiles(repo, content, { ref, parents: [tips.get(ref) ?? first] }))
        last = files
      }

      const all = listed(repo, ['--all'])

      for (const { kind, seed, byOffset } of layouts) {
        const options = byOffset ? ['--delta-base-offset'] : []
        if (kind === 'thin' && tips.get(main) !== first)
          pushThin(repo, [tips.get(main)!, `^${first}`])
        else if (kind === 'all') packUp(repo, all, options)
        else
          packUp(
            repo,
            all.filter((_, n) => (n * 31 + seed) % 7 < 4),
            options,
          )
      }

      prune(repo)
      const wants = [...tips].filter(([ref]) => ref !== hidden).map(([, oid]) => oid)

      await check(repo, [...new Set(wants)], { windowBytes })
      await check(repo, [first], { windowBytes })
      repo.processes.closeRepository(repo.dir)
    },
  )
  await fc.assert(property, { numRuns: runs(60) })
})

test('a delta against a hidden object becomes a whole object, and deltas against it stay', async () => {
  const repo = await newRepo()
  const noise = randomBytes(40_000).toString('hex')

  // Git takes the larger one of two objects as the base.
  const secret = await commitFiles(repo, { a: `${noise}${'long '.repeat(2000)}` }, { ref: hidden })
  await commitFiles(repo, { a: `${noise} middle` }, { base: null })
  const head = await commitFiles(repo, { a: noise })

  packUp(repo, listed(repo, ['--all']), ['--delta-base-offset'])
  prune(repo)
  const pack = gitOutside(repo.dir, ['rev-parse', `${secret}:a`])
  const bases = readdirSync(`${repo.dir}/objects/pack`)
    .filter(name => name.endsWith('.idx'))
    .map(name => gitOutside(repo.dir, ['verify-pack', '-v', `objects/pack/${name}`]))
    .join('\n')

  assert.match(bases, new RegExp(` ${pack}$`, 'm'))
  const assembled = await check(repo, [head])

  // One of the two versions is a delta.
  assert.ok(assembled.length < 1.5 * noise.length)
  assert.ok(assembled.length > 0.5 * noise.length)
})

test('a delta whose base comes later in the pack is kept', async () => {
  const repo = await newRepo()
  const base = randomBytes(3000)
  const target = Buffer.concat([base.subarray(0, 2900), Buffer.from('tail')])
  const delta = copyDelta(base.length, 2900, 1, 'tail')
  const pack = packOf([
    { type: 'delta', base: objectId('blob', base), content: delta },
    { type: 'blob', content: base },
  ])

  gitOutside(repo.dir, ['index-pack', '--stdin'], pack)
  const head = await commitFiles(repo, { base, target })

  prune(repo)
  const assembled = await check(repo, [head])

  assert.ok(assembled.length < 4000)
  assert.ok(assembled.includes(Buffer.from(objectId('blob', base), 'hex')))
})

test('large objects and loose ones', async () => {
  const repo = await newRepo()
  const pages = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}.md`, `Page ${n}\n`]))
  await commitFiles(repo, pages(270))
  unpack(repo)
  await commitFiles(repo, { large: randomBytes(5_000_000), image: randomBytes(3_000_000) })
  const head = await commitFiles(repo, { image: randomBytes(3_000_000) })

  packUp(repo, [gitOutside(repo.dir, ['rev-parse', 'HEAD:large'])])
  prune(repo)
  for (const windowBytes of [100, 60_000, 512 * 1024]) await check(repo, [head], { windowBytes })

  // A process of Git is better at more of them.
  const more = await commitFiles(repo, pages(330))

  unpack(repo)
  assert.is(await assemble(repo, [more]), undefined)
})

test('a delta that names its base by id names it by distance', async () => {
  const repo = await newRepo()

  // Not random: deflate stores a tree as it is if many bytes of its ids are above 143, and then the
  // pack has the id of the base in a tree.
  const text = createHash('shake256', { outputLength: 5000 }).update('base').digest('hex')
  await commitFiles(repo, { a: `${text} and a tail` })
  const head = await commitFiles(repo, { a: text })

  packUp(repo, listed(repo, ['--all']))
  prune(repo)
  const base = Buffer.from(gitOutside(repo.dir, ['rev-parse', `${head}~:a`]), 'hex')
  const packed = readdirSync(join(repo.dir, 'objects/pack')).find(name => name.endsWith('.pack'))!

  assert.ok(readFileSync(join(repo.dir, 'objects/pack', packed)).includes(base))
  assert.not.ok((await check(repo, [head])).includes(base))
})

test('what is not supported is left to Git', async () => {
  const repo = await newRepo()
  const head = await commitFiles(repo, { a: 'a' })
  packUp(repo, listed(repo, ['--all']))
  assert.ok(await assemble(repo, [head]))

  for (const [file, content] of [
    ['objects/info/alternates', `${repo.dir}/objects\n`],
    ['shallow', `${head}\n`],
    // What a power cut leaves.
    ['objects/pack/pack-1.idx', ''],
  ] as const) {
    if (file.endsWith('.idx')) writeFileSync(join(repo.dir, 'objects/pack/pack-1.pack'), packOf([]))
    writeFileSync(join(repo.dir, file), content)
    assert.is(await assemble(repo, [head]), undefined, file)
    rmSync(join(repo.dir, file))
  }

  // Without its index, Git does not look at a pack either.
  assert.ok(await assemble(repo, [head]))
  rmSync(join(repo.dir, 'objects/pack/pack-1.pack'))
  const name = readdirSync(join(repo.dir, 'objects/pack')).find(each => each.endsWith('.idx'))!
  const index = join(repo.dir, 'objects/pack', name)

  rmSync(index)
  gitOutside(repo.dir, ['index-pack', '--index-version=1', index.replace(/idx$/, 'pack')])
  assert.is(await assemble(repo, [head]), undefined)
  rmSync(index)
  gitOutside(repo.dir, ['index-pack', index.replace(/idx$/, 'pack')])
  assert.ok(await assemble(repo, [head]))
})

test('an object that is missing is left to Git, before and after the walk', async () => {
  const repo = await newRepo()
  const head = await commitFiles(repo, { a: 'a' })
  const blob = gitOutside(repo.dir, ['rev-parse', `${head}:a`])
  const remove = () => {
    rmSync(join(repo.dir, 'objects', blob.slice(0, 2), blob.slice(2)))
    repo.processes.closeRepository(repo.dir)
  }

  assert.is(await assemble(repo, [head], { before: remove }), undefined)
  assert.is(await assemble(repo, [head]), undefined)
})

test('an answer that is aborted ends with that', async () => {
  const repo = await newRepo()
  const head = await commitFiles(repo, { a: randomBytes(2_000_000) })
  packUp(repo, listed(repo, ['--all']))
  const stop = new AbortController()
  const before = () => stop.abort()
  const early = await assemble(repo, [head], { before, signal: stop.signal }).catch(error => error)

  assert.ok(isGitError(early, 'aborted'))

  // Later: after the first bytes.
  const halfway = new AbortController()
  const spool = new Spool(`${bench.folder}/tmp`)
  const find = async () => (await findReachable(repo, [head])).ids
  const answering = assemblePack(repo, { find, signal: halfway.signal, windowBytes: 100 }, spool)

  await spool.read().next()
  halfway.abort()
  assert.ok(isGitError(await answering.catch(error => error), 'aborted'))
  await spool.close()
})

test('a client is told of a pack that is damaged', async () => {
  const repo = await newRepo()
  const head = await commitFiles(repo, { a: 'a' })
  packUp(repo, listed(repo, ['--all']))
  prune(repo)
  const folder = join(repo.dir, 'objects/pack')
  const name = readdirSync(folder).find(each => each.endsWith('.pack'))!
  const damage = () => {
    const file = join(folder, name)
    const bytes = readFileSync(file)
    // Entries of type 0.
    rmSync(file)
    writeFileSync(file, bytes.fill(0, 12, bytes.length - 20))
  }
  const answer = await assemble(repo, [head], { before: damage })

  assert.ok(isGitError(answer?.error, 'failed'))
  assert.is(answer?.text, 'upload-pack: the fetch failed\n')
})

test.run()
