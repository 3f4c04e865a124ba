import { execFileSync, spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freeBytes } from '../../../src/lib/free-bytes.ts'
import { gitOutside } from '../../support/git/repo.ts'
import { importOf } from '../import.ts'
import { type Line, line, must, type Seen } from '../line.ts'
import { file, makeRepository } from '../objects.ts'
import { openStage, type Stage, type StageOptions, serve } from '../stage.ts'

/** Runs with a server of its own, which has to be alive at the end. */
async function apart<Result>(
  options: StageOptions,
  work: (stage: Stage) => Promise<Result>,
): Promise<Result> {
  const stage = await openStage(options)
  try {
    const result = await work(stage)
    must(stage.alive(), 'the server is dead')
    return result
  } finally {
    await stage.stop()
  }
}

/** Returns the repository of a space. */
export const repositoryOf = ({ dataDir }: Stage, space: string) =>
  join(dataDir, 'spaces', space.slice(0, 2), `${space}.git`)

const insertPage = (title: string, markdown: string) => ({
  changes: [{ operation: 'insert_page', title, document: { markdown } }],
})

const noise = (bytes: number) => {
  let text = ''
  for (let seed = Date.now(); text.length < bytes; seed = (seed * 48271) % 2147483647)
    text += `${seed.toString(36)}\n`
  return text
}

/**
 * Runs with a server whose data folder is on a small disk; returns `otherwise` where none can be
 * mounted.
 */
export async function onSmallDisk(
  otherwise: Seen,
  work: (stage: Stage) => Promise<Seen>,
): Promise<Seen> {
  if (process.getuid?.() !== 0) {
    console.log('skipped: a disk can be mounted by root alone')
    return otherwise
  }

  const dataDir = mkdtempSync(join(tmpdir(), 'stemma-hostile-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300m', 'none', dataDir])

  try {
    return await apart({ dataDir }, work)
  } finally {
    execFileSync('umount', ['-l', dataDir])
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** The disk is filled by writes, then by a file until nothing fits; then freed. */
async function fillAndFree(stage: Stage): Promise<Seen> {
  const space = await stage.space()
  const content = `/v1/spaces/${space}/content`
  const made = await stage.call('POST', content, { body: insertPage('First', '# First\n') })
  must(made.status === 200, made.text)
  const pages = (await stage.call('GET', `${content}/pages`)).text
  const filler = join(stage.dataDir, 'filler')
  const refused: Seen[] = []
  const writes: [string, string, object][] = [
    ['POST', content, insertPage('Big', noise(900_000))],
    ['POST', content, insertPage('Small', '# Small\n')],
    ['POST', '/v1/orgs/acme/spaces', { title: 'More' }],
    ['PATCH', `/v1/spaces/${space}`, { title: 'Other' }],
    ['POST', `/v1/spaces/${space}/change-requests`, { subject: 'x' }],
    ['POST', '/v1/user/tokens', { name: 'x' }],
  ]

  for (const left of [100_000_000, 40_000, 0]) {
    fillUp(filler, left)

    for (const [method, path, body] of writes) {
      const seen = await stage.call(method, path, { body })
      if (Number(seen.status) >= 300) refused.push(seen)
    }

    for (const path of [
      content,
      `${content}/pages`,
      `${content}/files`,
      `/v1/spaces/${space}`,
      '/v1/user',
      '/readyz',
    ]) {
      const seen = await stage.call('GET', path, { as: left === 0 ? 'reader' : 'admin' })
      must(
        seen.status === 200,
        `with ${left} bytes left a read of ${path} answers ${seen.status} ${seen.text.slice(0, 200)}`,
      )
    }
  }

  const strange = refused.find(({ status }) => status !== 507 && status !== 503)

  must(refused.length > 0, 'nothing was refused')
  must(!strange, `a write answers ${strange?.status} ${strange?.text}`)
  rmSync(filler)
  const again = await stage.call('POST', content, { body: insertPage('Last', '# Last\n') })

  must(again.status === 200, `with room again a write answers ${again.status} ${again.text}`)
  must((await stage.call('GET', `${content}/pages`)).text !== pages, 'the new page is not there')
  gitOutside(repositoryOf(stage, space), ['fsck', '--strict', '--full', '--no-dangling'])
  await stage.restart()
  must(
    (await stage.call('GET', `${content}/pages`)).status === 200,
    'after a restart the pages are gone',
  )

  return refused[0] as Seen
}

/** Fills the disk of the file except for about so many bytes, while the server writes to it. */
export function fillUp(path: string, left: number): void {
  rmSync(path, { force: true })
  const count =
    left === 0
      ? []
      : ['iflag=count_bytes', `count=${Math.max(0, freeBytes(join(path, '..')) - left)}`]
  spawnSync('dd', ['if=/dev/zero', `of=${path}`, 'bs=4096', ...count])
}

const secondServer = async (stage: Stage): Promise<Seen> => {
  const end = await serve(stage.dataDir, {}, () => {}).then(
    () => ({ code: 'listens', message: '' }),
    (error: Error & { code: number }) => error,
  )
  return {
    status: String(end.code),
    text: end.message.replaceAll(tmpdir(), '').replace(/stemma-hostile\S*/g, ''),
  }
}

const clock = `
  const Real = Date
  let behind = 0
  process.on('SIGUSR2', () => { behind += 86_400_000 })
  globalThis.Date = class extends Real {
    constructor(...parts) { parts.length > 0 ? super(...parts) : super(Real.now() - behind) }
    static now() { return Real.now() - behind }
  }`

/** Sets the machine's clock back by a day, and by another day while the server is down. */
const clockBack = () =>
  apart(
    { nodeFlags: ['--import', `data:text/javascript,${encodeURIComponent(clock)}`] },
    async stage => {
      const space = await stage.space()
      const content = `/v1/spaces/${space}/content`
      const before = JSON.parse(
        (await stage.call('POST', content, { body: insertPage('A', 'a') })).text,
      )
      process.kill(stage.pid, 'SIGUSR2')
      await new Promise(resolve => setTimeout(resolve, 100))
      const after = JSON.parse(
        (await stage.call('POST', content, { body: insertPage('B', 'b') })).text,
      )
      const { items } = JSON.parse((await stage.call('GET', `/v1/spaces/${space}/revisions`)).text)

      must(
        items[0].id === after.revision && items[1].id === before.revision,
        'the newest is not the first',
      )
      const repo = makeRepository(stage.folder, 'clock')

      repo.commit(repo.tree([file('README.md', repo.blob('# Home\n'))]))

      return importOf(stage, 'clock', { ms: 10_000 })
    },
  )

/** A space with manually damaged pages; the intact ones have to be served. */
const damaged = (damage: (dir: string) => void, warm: boolean) => () =>
  apart({}, async stage => {
    const [space, other] = [await stage.space(), await stage.space()]
    const content = `/v1/spaces/${space}/content`
    await stage.call('POST', content, { body: insertPage('Hurt', '# Hurt\n\nunique words\n') })
    await stage.call('POST', content, { body: insertPage('Whole', '# Whole\n') })
    if (warm) await stage.call('GET', `${content}/pages`)

    const dir = repositoryOf(stage, space)

    damage(dir)
    await stage.restart()
    const seen = await stage.call('GET', `${content}/path/hurt`)

    if (warm) {
      const whole = await stage.call('GET', `${content}/path/whole`)
      must(whole.status === 200, `a whole page answers ${whole.status} ${whole.text}`)
    }

    const elsewhere = await stage.call('GET', `/v1/spaces/${other}/content/pages`)

    must(elsewhere.status === 200, `another space answers ${elsewhere.status}`)
    const listed = await stage.call('GET', '/v1/orgs/acme/spaces')

    must(listed.status === 200, `the list of spaces answers ${listed.status} ${listed.text}`)

    return seen
  })

const loosePath = (dir: string, path: string) => {
  const oid = gitOutside(dir, ['rev-parse', `HEAD:${path}`])
  return join(dir, 'objects', oid.slice(0, 2), oid.slice(2))
}

const overwrite = (path: string, bytes: string) => {
  rmSync(path, { force: true })
  writeFileSync(path, bytes)
}

const loseObjects = (dir: string) => {
  for (const name of readdirSync(join(dir, 'objects')))
    if (/^[0-9a-f]{2}$/.test(name))
      renameSync(join(dir, 'objects', name), join(dir, `lost-${name}`))
}

const losePacks = (dir: string) => {
  gitOutside(dir, ['-c', 'extensions.preciousObjects=false', 'repack', '-q', '-a'])
  loseObjects(dir)
  for (const name of readdirSync(join(dir, 'objects/pack')))
    rmSync(join(dir, 'objects/pack', name), { force: true })
}

const truncate = (dir: string) => {
  const path = loosePath(dir, 'hurt.md')
  must(statSync(path).size > 0, 'no such object')
  overwrite(path, '')
}

const plain = /"message":"[A-Z](?:[^"\\]|\\")+\."/

export const storage: Line[] = [
  line('3.5', 'a disk that is full', '507|503', /disk|full|room/i, () =>
    onSmallDisk({ status: 507, text: 'disk full' }, fillAndFree),
  ),
  line('3.4', 'a second server on the data folder', 75, /Another server holds/, secondServer),
  line('3.7', 'a clock that goes back by a day', 'success', 'nothing stands still', clockBack),
  line(
    '3.6',
    'a page whose object is garbage',
    500,
    plain,
    damaged(dir => overwrite(loosePath(dir, 'hurt.md'), 'garbage'), true),
  ),
  line('3.6', 'a page whose object is empty', 500, plain, damaged(truncate, true), { slow: true }),
  line(
    '3.6',
    'a page whose object is missing',
    500,
    plain,
    damaged(dir => rmSync(loosePath(dir, 'hurt.md')), true),
    { slow: true },
  ),
  line('3.6', 'a space whose loose objects are gone', 500, plain, damaged(loseObjects, false), {
    slow: true,
  }),
  line('3.6', 'a space whose pack is gone', 500, plain, damaged(losePacks, false), { slow: true }),
  line(
    '3.6',
    'a space whose HEAD is garbage',
    500,
    plain,
    damaged(dir => overwrite(join(dir, 'HEAD'), 'garbage\n'), false),
    { slow: true },
  ),
  line(
    'B17',
    'a space whose config runs a program',
    '500|200',
    'it does not run',
    damaged(dir => {
      gitOutside(dir, ['config', 'core.fsmonitor', `touch ${dir}/../ran`])
      mkdirSync(join(dir, 'hooks'), { recursive: true })
      writeFileSync(join(dir, 'hooks/reference-transaction'), `#!/bin/sh\ntouch ${dir}/../ran\n`, {
        mode: 0o755,
      })
    }, false),
  ),
  line(
    'B17',
    'a space whose folder is missing',
    500,
    plain,
    damaged(dir => renameSync(dir, `${dir}-gone`), false),
    { slow: true },
  ),
]
