import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { waitForJobs } from '../../../crash/check/all.ts'
import { readStored } from '../../../crash/check/rows.ts'
import { checkSpace } from '../../../crash/check/space.ts'
import { fsck, readRepository, repositoryOf } from '../../../crash/clients/repository.ts'
import { type GitClient, openClient, run } from '../../../support/git/client.ts'
import { type Crafted, craft, type Named, treeOf } from '../../../support/git/raw-commit.ts'
import { objectId } from '../../../support/git/raw-pack.ts'
import { sendPush } from '../../../support/git/raw-push.ts'
import { type Line, line, must, type Seen } from '../../line.ts'
import { openStage, type Stage } from '../../stage.ts'
import { unstaged } from './pushes.ts'

/**
 * A space on which several write at once, and what they were told about the tokens that they wrote.
 */
type Race = {
  stage: Stage
  client: GitClient
  space: string
  fresh: () => string
  /** Acknowledged: in the primary content once the change request is merged. */
  promised: Set<string>
  refused: Set<string>
  counts: Map<string, number>
  /** Answers that no race explains. */
  problems: string[]
}

/** A change request until its merge is acknowledged. */
type Round = { id: string; number: number; merged: boolean }

const count = ({ counts }: Race, what: string) => counts.set(what, (counts.get(what) ?? 0) + 1)

/** Returns the commit of a change request, as a client is told; undefined once it is merged. */
async function headOf({ stage, space }: Race, { number }: Round): Promise<string | undefined> {
  const list = await stage.call('GET', `/${space}.git/info/refs?service=git-receive-pack`)
  must(list.status === 200, `info/refs: ${list.status} ${list.text}`)
  return new RegExp(`([0-9a-f]{40}) refs/heads/change-requests/${number}\\b`).exec(list.text)?.[1]
}

/**
 * Makes a commit that adds a file. Git's own client would come second each time on a busy machine.
 */
async function commitOn(
  { stage, client, space }: Race,
  head: string,
  token: string,
): Promise<Crafted> {
  const listed = await client.ok(['--git-dir', repositoryOf(stage.dataDir, space), 'ls-tree', head])
  const entries = listed.split('\n').map((entry): Named => {
    const [, mode = '', oid = '', name = ''] = /^(\d+) \S+ (\S+)\t(.*)$/.exec(entry) ?? []
    return [mode.replace(/^0/, ''), name, oid]
  })
  const content = Buffer.from(`# ${token}\n`)
  const sorted = [...entries, ['100644', `${token}.md`, objectId('blob', content)] satisfies Named]
  const key = ([mode, name]: Named) => (mode === '40000' ? `${name}/` : String(name))

  sorted.sort((a, b) => (key(a) < key(b) ? -1 : 1))

  return craft([head], [treeOf(sorted)], [{ type: 'blob', content }])
}

/** Pushes commits to a change request, until it is merged. */
async function pushOn(race: Race, round: Round): Promise<void> {
  const { stage, space, promised, refused, problems } = race
  const ref = `refs/heads/change-requests/${round.number}`
  let token = race.fresh()

  for (let head = await headOf(race, round); head; head = await headOf(race, round)) {
    const { pack, to } = await commitOn(race, head, token)
    const push = { commands: [{ ref, from: head, to }], pack }
    const { status, report } = await sendPush(stage.url, space, stage.tokens.admin ?? '', push)
    const verdict = report[1] ?? ''

    if (verdict === `ok ${ref}`) {
      promised.add(token)
      count(race, 'pushes')
      token = race.fresh()
    } else if (verdict === `ng ${ref} fetch first`) count(race, 'pushes that came second')
    else if (/^ng .* is merged/.test(verdict)) count(race, 'pushes after the merge')
    else problems.push(`a push: ${status} ${report.join(', ')}`)

    if (problems.length > 0) break
  }

  refused.add(token)
}

/**
 * Adds pages over HTTP to the primary content or a change request, until the change request is
 * merged.
 */
async function editOn(race: Race, round: Round, path: string, what: string): Promise<void> {
  const { stage, fresh, promised, refused, problems } = race
  while (!round.merged) {
    const token = fresh()
    const change = {
      operation: 'insert_page',
      title: token,
      document: { markdown: `# ${token}\n` },
    }
    const { status, text } = await stage.call('POST', path, { body: { changes: [change] } })
    count(race, status === 200 ? what : `${what}, refused`)
    ;(status === 200 ? promised : refused).add(token)

    if (status !== 200) {
      if (status !== 409 && status !== 429 && !/merged/.test(text))
        problems.push(`an edit: ${status} ${text.slice(0, 300)}`)
      if (/merged/.test(text)) return
    }

    // A push takes longer than an edit, and would come second each time.
    await sleep(Math.random() * 2000)
  }
}

/**
 * Brings the primary content into a change request, and merges it, as soon as neither is refused.
 */
async function mergeOn(race: Race, round: Round): Promise<void> {
  const at = `/v1/spaces/${race.space}/change-requests/${round.id}`
  for (const step of ['update', 'merge'])
    for (;;) {
      await sleep(Math.random() * 1500)
      const { status, text } = await race.stage.call('POST', `${at}/${step}`)
      const done = status === 200 && !/"conflicts"/.test(text)
      count(race, `${step}s${done ? '' : ', refused'}`)
      if (done) break

      if (status !== 409 && status !== 429) {
        race.problems.push(`${step}: ${status} ${text.slice(0, 300)}`)
        break
      }
    }

  round.merged = true
}

async function playRound(race: Race): Promise<void> {
  const at = `/v1/spaces/${race.space}`
  const made = await race.stage.call('POST', `${at}/change-requests`, {
    body: { subject: 'A race' },
  })
  must(made.status === 201, made.text)
  const { id, number } = JSON.parse(made.text) as { id: string; number: number }
  const round: Round = { id, number, merged: false }

  await Promise.all([
    pushOn(race, round),
    pushOn(race, round),
    editOn(race, round, `${at}/change-requests/${id}/content`, 'edits'),
    editOn(race, round, `${at}/content`, 'edits of the primary content'),
    mergeOn(race, round),
  ])
}

const program = fileURLToPath(new URL('../../../../bin/stemma.js', import.meta.url))

/** Returns what contradicts what the writers were told, in the rows or in Git. */
async function examine({ stage, client, space, promised, refused }: Race): Promise<string[]> {
  const dir = repositoryOf(stage.dataDir, space)
  const stuck = await waitForJobs(stage)
  const rows = await readStored(stage, true)
  const counts =
    (await readRepository(dir)).tokens.get('refs/heads/main') ?? new Map<string, number>()

  // The name of a new page is in its list as well.
  const listed = await client.ok(['--git-dir', dir, 'ls-tree', '-r', '--name-only', 'main'])
  const files = listed.split('\n').map(name => name.replace(/\.md$/, ''))
  const verified = await run(process.execPath, [program, 'verify', '--json'], client.folder, {
    STEMMA_DATA: stage.dataDir,
    ...stage.database,
  })

  return [
    ...(stuck ? [stuck] : []),
    ...rows.problems,
    ...rows.operations.map(({ kind }) => `an operation "${kind}" is in the journal`),
    ...rows.jobs
      .filter(({ state }) => state === 'dead')
      .map(({ kind, error }) => `${kind} died: ${error}`),
    ...[...promised].filter(token => !files.includes(token)).map(token => `${token} is lost`),
    ...files.filter((name, i) => files.indexOf(name) !== i).map(name => `${name} is there twice`),
    ...[...refused]
      .filter(token => counts.has(token))
      .map(token => `${token} was refused, and is there`),
    ...(await checkSpace(rows, dir, space, undefined, false)),
    ...(await fsck(dir)),
    ...(verified.code === 0 ? [] : [`stemma verify: ${verified.stdout} ${verified.stderr}`]),
  ]
}

/** What has to happen at least once, however slow the machine is. */
const wanted = ['pushes', 'edits', 'merges']

/** Two clients push to a change request, two edit, and one merges it, for so many seconds. */
const racing = (seconds: number) => async (): Promise<Seen> => {
  const [stage, client] = await Promise.all([openStage(), openClient()])
  try {
    const space = await stage.space('Raced')
    const first = { operation: 'insert_page', title: 'First', document: { markdown: 'First.\n' } }
    await stage.call('POST', `/v1/spaces/${space}/content`, { body: { changes: [first] } })
    let made = 0
    const race: Race = {
      ...{ stage, client, space, fresh: () => `tok${++made}z` },
      ...{ promised: new Set(), refused: new Set(), counts: new Map(), problems: [] },
    }
    const until = performance.now() + seconds * 1000
    const isOver = () => performance.now() > until && wanted.every(what => race.counts.has(what))

    while (!isOver() && race.problems.length === 0) await playRound(race)
    await unstaged(stage)
    const problems = [...race.problems, ...(await examine(race))]

    must(stage.alive(), 'the server is dead')
    must(problems.length === 0, problems.slice(0, 5).join('\n'))
    const told = [...race.counts].sort().map(([what, times]) => `${times} ${what}`)

    console.log(`     ${told.join(', ')}`)

    return { status: 200, text: told.join(', ') }
  } finally {
    await stage.stop()
    await client.remove()
  }
}

/** Several who write to one change request at the same time. */
export const pushRaces: Line[] = [
  line(
    'GH34',
    'two pushes, edits and merges at once, 3 s',
    200,
    'what was acknowledged is there',
    racing(3),
  ),
  line('GH34', 'two pushes, edits and merges at once, 60 s', 200, 'the same', racing(60), {
    slow: true,
    mostMs: 180_000,
  }),
]
