import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import {
  type Crafted,
  craft,
  type Named,
  page,
  pageOid,
  treeOf,
} from '../../../support/git/raw-commit.ts'
import {
  copyDelta,
  objectId,
  type PackEntry,
  packOf,
  zerosEntry,
} from '../../../support/git/raw-pack.ts'
import {
  beginPush,
  pushBody,
  type RawCommand,
  type RawPush,
  sendPush,
} from '../../../support/git/raw-push.ts'
import { gitOutside } from '../../../support/git/repo.ts'
import { until } from '../../../support/until.ts'
import { beside } from '../../beside.ts'
import { costing, memoryOf, processesOf } from '../../cost.ts'
import { type Line, line, must, type Seen, skipped } from '../../line.ts'
import type { Stage } from '../../stage.ts'
import { fillUp, onSmallDisk } from '../storage.ts'

/** A space to push to, with a commit and a blob that only a hidden ref leads to. */
type Target = {
  id: string
  dir: string
  head: string
  hidden: string
  hiddenBlob: string
  hiddenTree: string
  git: (...args: string[]) => string
}

const targets = new Map<Stage, Promise<Target>>()

function target(stage: Stage): Promise<Target> {
  const known = targets.get(stage) ?? makeTarget(stage)
  targets.set(stage, known)
  return known
}

async function makeTarget(stage: Stage): Promise<Target> {
  const id = await stage.space('Pushed')
  const changes = [{ operation: 'insert_page', title: 'One', document: { markdown: 'One.' } }]
  await stage.call('POST', `/v1/spaces/${id}/content`, { body: { changes } })
  // A read waits until the folder has followed the edit.
  await stage.call('GET', `/v1/spaces/${id}/content`)
  const dir = join(stage.dataDir, 'spaces', id.slice(0, 2), `${id}.git`)
  const git = (...args: string[]) => gitOutside(stage.folder, ['--git-dir', dir, ...args])
  const head = git('rev-parse', 'refs/heads/main')
  const hiddenBlob = git('hash-object', '-w', join(process.cwd(), 'SECURITY.md'))
  const hiddenTree = gitOutside(
    stage.folder,
    ['--git-dir', dir, 'mktree'],
    `100644 blob ${hiddenBlob}\tsecret.md\n`,
  )
  const hidden = git('commit-tree', '-p', head, '-m', 'hidden', hiddenTree)

  git('update-ref', 'refs/stemma/hidden', hidden)

  return { id, dir, head, hidden, hiddenBlob, hiddenTree, git }
}

const plain = ({ head }: Target): Crafted =>
  craft([head], [treeOf([['100644', 'page.md', pageOid]])])

/**
 * Sends a push, after which no folder is staged, the repository is sound and no branch has moved.
 */
const pushing =
  (make: (to: Target) => RawPush | Buffer) =>
  async (stage: Stage): Promise<Seen> => {
    const to = await target(stage)
    const before = to.git('for-each-ref')
    const { status, report, said, text } = await sendPush(
      stage.url,
      to.id,
      stage.tokens.admin ?? '',
      make(to),
    )

    await unstaged(stage)
    must(to.git('for-each-ref') === before, 'a ref has moved')
    to.git('fsck', '--strict', '--no-dangling')

    return { status, text: report.length > 0 ? [...report, said].join('\n') : text }
  }

/** Throws unless no push is staged within a second. */
export async function unstaged(stage: Stage): Promise<void> {
  const end = performance.now() + 1000
  while (stagedIn(stage).length > 0) {
    must(performance.now() < end, 'a push is left in staging')
    await sleep(20)
  }
}

/** Returns the folders of pushes under way. */
export function stagedIn({ dataDir }: Stage): string[] {
  const folder = join(dataDir, 'staging')
  return existsSync(folder) ? readdirSync(folder).filter(name => name.startsWith('push-')) : []
}

/** A push to main. */
const toMain = (make: (to: Target) => Crafted) =>
  pushing(target => {
    const { pack, to } = make(target)
    return { commands: [{ ref: 'refs/heads/main', from: target.head, to }], pack }
  })

/** A push of a good commit to this ref. */
const toRef = (ref: string) =>
  pushing(target => {
    const { pack, to } = plain(target)
    return { commands: [{ ref, to }], pack }
  })

/** A push to main whose pack is changed. */
const changed = (change: (pack: Buffer) => Buffer) =>
  toMain(target => {
    const made = plain(target)
    return { ...made, pack: change(made.pack) }
  })

const lacks = /^unpack the pack lacks objects that it refers to\nng /
const broken = /^unpack the pack is broken\nng /
const missing = 'd'.repeat(40)

/** Trees of which each holds the one before ten times. */
function wideTrees(): Buffer[] {
  const trees = [treeOf([['100644', 'a', pageOid]])]
  for (let i = 0; i < 10; i++) {
    const below = objectId('tree', trees.at(-1)!)
    trees.push(treeOf([...'0123456789'].map(name => ['40000', name, below])))
  }
  return trees
}

function deepTrees(): Buffer[] {
  const trees = [treeOf([['100644', 'a', pageOid]])]
  for (let i = 0; i < 200; i++)
    trees.push(treeOf([['40000', 'd', objectId('tree', trees.at(-1)!)]]))
  return trees
}

/** Eight files of more than 1 GB each in 16 KB: deltas that copy their base repeatedly. */
function unfolding({ head }: Target): Crafted {
  const [size, start] = [16_000_000, Buffer.alloc(64_000)]
  const first = 2 // after the commit and the tree
  return craft(
    [head],
    [treeOf([['100644', 'page.md', objectId('blob', start)]])],
    [
      { type: 'blob', content: start },
      { type: 'delta', base: first, content: copyDelta(64_000, 64_000, 250) },
      ...Array.from(
        { length: 8 },
        (_, i): PackEntry => ({
          type: 'delta',
          base: first + 1,
          content: copyDelta(size, size, 70, `${i}`),
        }),
      ),
    ],
  )
}

/**
 * A file of 1 GB in a pack of less than 500 bytes: a delta that copies its base of 64 kB 16,000
 * times.
 */
function copying({ head }: Target): Crafted {
  const start = Buffer.alloc(64_000)
  const tree = treeOf([['100644', 'page.md', objectId('blob', start)]])
  const delta: PackEntry = { type: 'delta', base: 2, content: copyDelta(64_000, 64_000, 16_000) }
  return craft([head], [tree], [{ type: 'blob', content: start }, delta])
}

const needsMemory = /^unpack the check of the pack needs more than 256 MB of memory: push fewer /

const refusedName = (name: string | Buffer) =>
  toMain(({ head }) => craft([head], [treeOf([['100644', name, pageOid]])]))

const notAllowed = /^unpack the pack holds an object that is not allowed: /

/** A push whose client goes away in the middle of its pack. */
const leaving = async (stage: Stage): Promise<Seen> => {
  const to = await target(stage)
  const { pack, to: commit } = plain(to)
  const body = pushBody({ commands: [{ ref: 'refs/heads/main', from: to.head, to: commit }], pack })

  for (let turn = 0; turn < 5; turn++) {
    const sending = beginPush(stage.url, to.id, stage.tokens.admin ?? '')
    sending.write(body.subarray(0, -10))
    await sleep(100)
    sending.cut()
  }

  await unstaged(stage)

  return stage.call('GET', `/${to.id}.git/info/refs?service=git-receive-pack`)
}

/**
 * A client that sends the end of its pack byte by byte, during which the server holds no process,
 * then the rest.
 */
const dripping = async (stage: Stage): Promise<Seen> => {
  const to = await makeTarget(stage)
  const { pack, to: commit } = plain(to)
  const command = { ref: 'refs/heads/main', from: to.head, to: commit }
  const body = pushBody({ commands: [command], pack })
  const sending = beginPush(stage.url, to.id, stage.tokens.admin ?? '')

  sending.write(body.subarray(0, -4))

  for (const byte of body.subarray(-4, -1)) {
    sending.write(Buffer.from([byte]))
    await sleep(1000)
    must(processesOf(stage, /index-pack|rev-list/).length === 0, 'a process waits for the client')
  }

  sending.write(body.subarray(-1))
  sending.end()
  const { status, report } = await sending.answer

  await unstaged(stage)

  return { status, text: report.join('\n') }
}

/** A client that is silent in the middle of its pack, until the server closes its connection. */
const silent = async (stage: Stage): Promise<Seen> => {
  const to = await makeTarget(stage)
  const { pack, to: commit } = plain(to)
  const body = pushBody({ commands: [{ ref: 'refs/heads/main', from: to.head, to: commit }], pack })
  const sending = beginPush(stage.url, to.id, stage.tokens.admin ?? '')

  sending.write(body.subarray(0, -4))
  const begun = performance.now()
  const answered = await sending.answer.catch(() => undefined)
  const seconds = (performance.now() - begun) / 1000

  must(
    !answered && seconds > 55 && seconds < 75,
    `after ${seconds} s: ${answered?.text ?? 'closed'}`,
  )
  await unstaged(stage)
  must(to.git('rev-parse', 'main') === to.head, 'main has moved')

  return { status: 'closed', text: '' }
}

/** The most megabytes of a process that reads a pack: its address space is limited to 256 MB. */
const mostMegabytes = 260

/** Sends a push, whose processes may only take so much memory. */
const sparingly =
  (send: Line['send']): Line['send'] =>
  async stage => {
    let peak = 0
    const timer = setInterval(() => {
      for (const pid of processesOf(stage, /index-pack/)) peak = Math.max(peak, memoryOf(pid))
    }, 20)
    const seen = await send(stage).finally(() => clearInterval(timer))
    must(peak < mostMegabytes, `a process took ${Math.round(peak)} MB`)
    return seen
  }

/** A hundred pushes at once by one token: each is carried out, refused in its report, or 429. */
const crowd = async (stage: Stage): Promise<Seen> => {
  const to = await makeTarget(stage)
  const { pack, to: commit } = plain(to)
  const answers = await Promise.all(
    Array.from({ length: 100 }, () =>
      sendPush(stage.url, to.id, stage.tokens.admin ?? '', {
        commands: [{ ref: 'refs/for/main/crowd', to: commit }],
        pack,
      }),
    ),
  )
  const done = answers.filter(({ report }) => report[1]?.startsWith('ok '))
  const told = answers.filter(
    ({ status, report }) => status === 429 || report[1]?.startsWith('ng '),
  )

  must(done.length > 0 && done.length + told.length === answers.length, JSON.stringify(answers[0]))
  must(
    answers.some(({ status }) => status === 429),
    'none was refused',
  )
  await unstaged(stage)
  const listed = to
    .git('for-each-ref', '--format=%(refname)', 'refs/heads/change-requests/')
    .split('\n')

  must(listed.length === 1, `${listed.length} change requests were opened`)

  return { status: 200, text: 'one change request' }
}

/** A proposal with a hostile title. */
const titled = async (stage: Stage): Promise<Seen> => {
  const to = await target(stage)
  const { pack, to: commit } = plain(to)
  const marker = join(stage.folder, 'titled')
  const title = `x; touch ${marker} $(touch ${marker}) \`touch ${marker}\` \x1b[31m\r\n${'y'.repeat(10_000)}`
  const { status, said } = await sendPush(stage.url, to.id, stage.tokens.admin ?? '', {
    commands: [{ ref: 'refs/for/main/titled', to: commit }],
    options: [`title=${title}`, `topic=--upload-pack=touch`],
    pack,
  })

  must(!existsSync(marker), 'a title was run')
  must(!said.includes('\x1b') && said.length < 2000, said)
  const requests = await stage.call('GET', `/v1/spaces/${to.id}/change-requests?status=open`)
  const { items } = JSON.parse(requests.text) as { items: { branch?: string; subject: string }[] }
  const subject = items.find(({ branch }) => branch === 'titled')?.subject ?? ''

  must(subject.length === 100 && !/[\x00-\x1f]/.test(subject), subject)

  return { status, text: 'the title is text' }
}

/**
 * A gzipped push of 300 kB that unpacks to 300 MB: it is not unpacked to its end, and nothing of it
 * stays.
 */
const denseOf =
  (commandOf: (to: Target) => RawCommand) =>
  async (stage: Stage): Promise<Seen> => {
    const to = await target(stage)
    const commands = pushBody({ commands: [commandOf(to)] })
    const body = gzipSync(Buffer.concat([commands, Buffer.alloc(300_000_000)]))

    return costing(1_000, async () => {
      const headers = { 'content-encoding': 'gzip' }
      const sending = beginPush(stage.url, to.id, stage.tokens.admin ?? '', headers)
      sending.write(body)
      sending.end()
      const { status, text } = await sending.answer
      await unstaged(stage)
      return { status, text }
    })(stage)
  }

/**
 * A push of which a part has come when the disk fills up. The server takes the same push once there
 * is room.
 */
const onFullDisk = (): Promise<Seen> =>
  onSmallDisk(
    { status: 200, text: 'unpack the disk of the server is full\nng main' },
    async stage => {
      const to = await makeTarget(stage)
      const noise = randomBytes(2_000_000)
      const crafted = craft(
        [to.head],
        [treeOf([['100644', 'page.md', objectId('blob', noise)]])],
        [{ type: 'blob', content: noise }],
      )

      const push = {
        commands: [{ ref: 'refs/heads/main', from: to.head, to: crafted.to }],
        pack: crafted.pack,
      }
      const body = pushBody(push)
      const sending = beginPush(stage.url, to.id, stage.tokens.admin ?? '')

      sending.write(body.subarray(0, 1_000_000))
      await until('the push is staged', () => (stagedIn(stage).length > 0 ? true : undefined))
      const filler = join(stage.dataDir, 'filler')

      fillUp(filler, 0)
      sending.write(body.subarray(1_000_000))
      sending.end()
      const { status, report } = await sending.answer

      await unstaged(stage)
      must(to.git('rev-parse', 'main') === to.head, 'main has moved')
      rmSync(filler)
      const again = await sendPush(stage.url, to.id, stage.tokens.admin ?? '', push)

      must(again.report[1] === 'ok refs/heads/main', `with room again: ${again.text}`)
      await unstaged(stage)
      to.git('fsck', '--strict', '--no-dangling')

      return { status, text: report.join('\n') }
    },
  )

/** Returns the bytes of all files below a folder. */
const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)

/** Sends a push, of which nothing may be stored. */
const unstored =
  (send: Line['send']): Line['send'] =>
  async stage => {
    const { dir } = await target(stage)
    const before = bytesIn(dir)
    const seen = await send(stage)
    must(bytesIn(dir) === before, `the repository has ${bytesIn(dir)} bytes after ${before}`)
    return seen
  }

/**
 * A pack of one byte more than a server takes, all of which the client sends before it reads the
 * answer.
 */
const over = async (): Promise<Seen> => {
  const stage = await beside('small', {
    env: { STEMMA_MAX_IMPORT_PACK_MB: '20', STEMMA_MAX_IMPORT_SECONDS: '5', STEMMA_LOG: 'warn' },
  })
  return unstored(changed(() => Buffer.alloc(20 * 1024 ** 2 + 1)))(stage)
}

/** Pushes over HTTP. */
export const pushes: Line[] = [
  ...['refs/stemma/keep/x', 'refs/notes/commits', 'refs/replace/x', 'HEAD', '../../etc/passwd'].map(
    ref =>
      line(
        'GH13',
        `a push to ${ref}`,
        200,
        /^unpack ok\nng .* only branches can be pushed/,
        toRef(ref),
      ),
  ),
  ...['refs/heads/a..b', 'refs/heads/x.lock'].map(ref =>
    line('GH13', `a push to ${ref}`, 200, /ng .* the name of the branch is not valid/, toRef(ref)),
  ),
  line(
    'GH13',
    'a name of 2,000 bytes',
    200,
    /at most 200 bytes/,
    toRef(`refs/heads/${'x'.repeat(2000)}`),
  ),
  ...(['newline', 'ESC', 'NUL'] as const).map((name, i) =>
    line(
      'GH14',
      `a name with ${name}`,
      400,
      'nothing',
      toRef(`refs/heads/x${['\nx', '\x1b[31m', '\0x'][i]}`),
    ),
  ),
  ...['change-requests/x', 'main/x', 'Main', '-x', 'a'.repeat(40)].map(name =>
    line('GH15', `a branch ${name}`, 200, /^unpack ok\nng /, toRef(`refs/heads/${name}`)),
  ),
  line(
    'GH16',
    '20,000 commands',
    400,
    /10,000 commands/,
    pushing(({ head }) => ({
      commands: Array.from({ length: 20_000 }, (_, i) => ({ ref: `refs/heads/b${i}`, to: head })),
    })),
  ),
  line(
    'GH16',
    '1 MB of options',
    400,
    /64 kB/,
    pushing(({ head }) => ({
      commands: [{ ref: 'refs/heads/x', to: head }],
      options: Array.from({ length: 20 }, () => `title=${'x'.repeat(50_000)}`),
    })),
  ),
  line(
    'GH16',
    'a certificate',
    400,
    /Signed pushes/,
    pushing(({ head }) => ({
      commands: [{ ref: 'refs/heads/x', to: head }],
      capabilities: 'push-cert=x',
    })),
  ),
  line(
    'GH18',
    'no pack',
    200,
    broken,
    changed(() => Buffer.alloc(0)),
  ),
  line(
    'GH18',
    'a pack that is cut',
    200,
    broken,
    changed(pack => pack.subarray(0, -30)),
  ),
  line(
    'GH18',
    'a wrong digest',
    200,
    broken,
    changed(pack => Buffer.concat([pack.subarray(0, -1), Buffer.from([pack.at(-1)! ^ 1])])),
  ),
  line(
    'GH18',
    'version 9',
    200,
    broken,
    changed(pack =>
      Buffer.concat([pack.subarray(0, 4), Buffer.from([0, 0, 0, 9]), pack.subarray(8)]),
    ),
  ),
  line(
    'GH18',
    '4,000,000,000 objects',
    200,
    broken,
    changed(pack =>
      Buffer.concat([pack.subarray(0, 8), Buffer.from([0xee, 0x6b, 0x28, 0]), pack.subarray(12)]),
    ),
  ),
  line(
    'GH18',
    'bytes behind the pack',
    200,
    broken,
    changed(pack => Buffer.concat([pack, Buffer.from('more')])),
  ),
  ...(
    [
      ['a missing', () => [missing, missing, missing]],
      [
        'a hidden',
        ({ hidden, hiddenTree, hiddenBlob }: Target) => [hidden, hiddenTree, hiddenBlob],
      ],
    ] as const
  ).flatMap(([which, of], i) => [
    line(
      i === 0 ? 'GH19' : 'GH20',
      `${which} parent`,
      200,
      lacks,
      toMain(to => craft([to.head, of(to)[0]!], [treeOf([['100644', 'page.md', pageOid]])])),
    ),
    line(
      i === 0 ? 'GH19' : 'GH20',
      `${which} tree`,
      200,
      lacks,
      toMain(to => craft([to.head], [treeOf([['40000', 'x', of(to)[1]!]])])),
    ),
    line(
      i === 0 ? 'GH19' : 'GH20',
      `${which} blob`,
      200,
      lacks,
      toMain(to => craft([to.head], [treeOf([['100644', 'x', of(to)[2]!]])])),
    ),
    line(
      i === 0 ? 'GH19' : 'GH20',
      `a branch on ${which} commit`,
      200,
      lacks,
      pushing(to => ({ commands: [{ ref: 'refs/heads/x', to: of(to)[0]! }], pack: packOf([]) })),
    ),
  ]),
  line(
    'GH20',
    'a delta of a hidden blob',
    200,
    lacks,
    toMain(to => {
      const text = to.git('cat-file', 'blob', to.hiddenBlob)
      const whole = Buffer.from(`${text}\n`)
      const content = copyDelta(whole.length, Math.min(whole.length, 0xffffff), 1, 'end')
      const made = Buffer.concat([whole, Buffer.from('end')])

      return craft(
        [to.head],
        [treeOf([['100644', 'x.md', objectId('blob', made)]])],
        [{ type: 'delta', base: to.hiddenBlob, content }],
      )
    }),
  ),
  ...['main^{tree}', 'main:one.md'].map(what =>
    line(
      'GH21',
      `a branch on ${what}`,
      200,
      /ng .* a branch can only be moved to a commit/,
      pushing(to => ({
        commands: [{ ref: 'refs/heads/x', to: to.git('rev-parse', what) }],
        pack: packOf([]),
      })),
    ),
  ),
  line(
    'GH21',
    'a branch on the object of a tag',
    200,
    /ng .* a branch can only be moved to a commit/,
    pushing(({ head }) => {
      const who = 'Mallory <mallory@example.org> 1700000000 +0000'
      const content = Buffer.from(`object ${head}\ntype commit\ntag x\ntagger ${who}\n\nCrafted\n`)
      const commands = [{ ref: 'refs/heads/x', to: objectId('tag', content) }]
      return { commands, pack: packOf([{ type: 'tag', content }]) }
    }),
  ),
  line(
    'GH21',
    'main twice',
    200,
    /^unpack ok\nng refs\/heads\/main fetch first\nng refs\/heads\/main the branch is named twice/,
    pushing(target => {
      const { pack, to } = plain(target)
      const command = { ref: 'refs/heads/main', from: missing, to }
      return { commands: [command, command], pack }
    }),
  ),
  line(
    'GH21',
    'the same branch twice',
    200,
    /the branch is named twice/,
    pushing(({ hidden }) => ({
      commands: [
        { ref: 'refs/tags/x', to: hidden },
        { ref: 'refs/tags/x', to: hidden },
      ],
    })),
  ),
  ...['.git', 'git~1', '..', '.GIT', '.g\u200cit', 'a/b'].map(name =>
    line('GH22', `a file ${JSON.stringify(name)}`, 200, notAllowed, refusedName(name)),
  ),
  line(
    'GH22',
    'unsorted entries',
    200,
    notAllowed,
    toMain(({ head }) =>
      craft([head], [treeOf(['b', 'a'].map(name => ['100644', name, pageOid] as Named))]),
    ),
  ),
  line(
    'GH22',
    'duplicate entries',
    200,
    notAllowed,
    toMain(({ head }) =>
      craft([head], [treeOf(['a', 'a'].map(name => ['100644', name, pageOid] as Named))]),
    ),
  ),
  line(
    'GH23',
    '.gitmodules with an option as its address',
    200,
    notAllowed,
    toMain(({ head }) => {
      const text = Buffer.from('[submodule "x"]\n\tpath = x\n\turl = --upload-pack=touch$IFS-x\n')
      return craft(
        [head],
        [treeOf([['100644', '.gitmodules', objectId('blob', text)]])],
        [{ type: 'blob', content: text }],
      )
    }),
  ),
  line(
    'GH23',
    '.gitmodules as a link',
    200,
    notAllowed,
    toMain(({ head }) => craft([head], [treeOf([['120000', '.gitmodules', pageOid]])])),
  ),
  line(
    'GH24',
    '200 folders deep',
    200,
    /^unpack folders nested too deeply/,
    costing(
      1_000,
      toMain(({ head }) => craft([head], deepTrees())),
    ),
    { mostMs: 10_000 },
  ),
  line(
    'GH24',
    'ten trees that stand for 10^10 paths',
    200,
    /^unpack too many files/,
    costing(
      1_000,
      toMain(({ head }) => craft([head], wideTrees())),
    ),
    { mostMs: 10_000 },
  ),
  line(
    'GH25',
    '150 MB of zeros in 150 kB',
    200,
    /^unpack a file is larger than 100 MB/,
    costing(
      3_000,
      toMain(({ head }) => {
        const zeros = Buffer.alloc(150_000_000)
        return craft(
          [head],
          [treeOf([['100644', 'zeros', objectId('blob', zeros)]])],
          [{ type: 'blob', content: zeros }],
        )
      }),
    ),
    { mostMs: 20_000 },
  ),
  ...(
    [
      ['a file of 1 GB in 1 MB', zerosEntry(1024)],
      ['a small file', { type: 'blob', content: Buffer.from('beside') }],
    ] as const
  ).map(([what, entry]) =>
    line(
      'GH25',
      `${what} beside a good commit, which does not lead to it`,
      200,
      /^unpack the pack has objects that no pushed branch leads to: leave them out/,
      unstored(
        costing(
          10_000,
          toMain(({ head }) =>
            craft(
              [head],
              [treeOf([['100644', 'page.md', pageOid]])],
              [{ type: 'blob', content: page }, entry],
            ),
          ),
        ),
      ),
      { mostMs: 60_000 },
    ),
  ),
  line(
    'GH26',
    'deltas that unfold into gigabytes',
    200,
    needsMemory,
    costing(2_000, sparingly(toMain(unfolding))),
    { mostMs: 20_000 },
  ),
  line(
    'GH26',
    'a delta of a few hundred bytes that unfolds into 1 GB',
    200,
    needsMemory,
    costing(1_000, sparingly(toMain(copying))),
    { mostMs: 10_000 },
  ),
  skipped(
    'GH27',
    'two objects of Git with the same SHA-1',
    'no such pair is known: those of SHAttered collide without the header of Git alone (B14 keeps both)',
  ),
  line(
    'GH28',
    'a lie about the old value',
    200,
    /ng refs\/heads\/main fetch first/,
    pushing(target => {
      const { pack, to } = plain(target)
      return { commands: [{ ref: 'refs/heads/main', from: missing, to }], pack }
    }),
  ),
  line(
    'GH28',
    'deletion of what is not there',
    200,
    /ng refs\/heads\/x branches are not deleted/,
    pushing(({ head }) => ({ commands: [{ ref: 'refs/heads/x', from: head }] })),
  ),
  line('GH17', 'a title with commands, control characters and 10 kB', 200, 'it is text', titled),
  line(
    'GH29',
    'a push of the whole limit and one byte',
    200,
    /^unpack the push is larger than 20 MB/,
    over,
  ),
  ...(
    [
      ['to main', ({ head }: Target) => ({ ref: 'refs/heads/main', from: head, to: missing })],
      [
        'of a tag, which is refused before',
        ({ head }: Target) => ({ ref: 'refs/tags/x', to: head }),
      ],
    ] as const
  ).map(([what, commandOf]) =>
    line(
      'GH29',
      `a gzipped push ${what}, of 300 kB that unpack to 300 MB`,
      413,
      /more than 100 times its size\. Send it uncompressed/,
      unstored(denseOf(commandOf)),
      { mostMs: 20_000 },
    ),
  ),
  line(
    'GH30',
    'a client that goes away in the middle of its pack',
    200,
    /refs\/heads\/main/,
    leaving,
  ),
  line(
    'GH30',
    'a client that sends one byte a second',
    200,
    /^unpack ok\nok refs\/heads\/main/,
    dripping,
  ),
  line('GH30', 'a client that is silent for 60 s', 'closed', 'nothing is left', silent, {
    slow: true,
  }),
  line('GH31', '100 pushes of one token', 200, 'one change request is opened', crowd, {
    slow: true,
  }),
  line(
    'GH33',
    'a disk that fills up during a push',
    200,
    /^unpack the disk of the server is full\nng /,
    onFullDisk,
  ),
  line(
    'GH37',
    'a thin pack',
    200,
    lacks,
    toMain(to => {
      const blob = to.git('rev-parse', 'main:one.md')
      const size = Number(to.git('cat-file', '-s', blob))
      const whole = Buffer.from(`${to.git('cat-file', 'blob', blob)}\n`)
      const made = Buffer.concat([whole.subarray(0, size), Buffer.from('end')])

      return craft(
        [to.head],
        [treeOf([['100644', 'one.md', objectId('blob', made)]])],
        [{ type: 'delta', base: blob, content: copyDelta(size, size, 1, 'end') }],
      )
    }),
  ),
]
