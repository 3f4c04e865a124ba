import { existsSync, mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type RawAnswer, sendPush } from '../../support/git/raw-push.ts'
import { countWrite, type Promised, type Space, type Word } from '../ledger.ts'
import type { Desk } from './ask.ts'
import { commitFiles, git, tryGit } from './git.ts'
import { repositoryOf } from './repository.ts'

export type Developer = Desk & {
  dataDir: string
  /** The folder of the clones. */
  folder: string
}

/** Git's messages for a push that lost a race. */
const second =
  /stale info|fetch first|non-fast-forward|cannot lock ref|failed to update ref|reference already|incorrect old value|is merged or does not exist/

/**
 * A developer with a clone and plain Git: fetches a branch of a space, commits on top of it and
 * pushes, a few times or until `stop` returns true. Works whether or not the server runs.
 */
export async function develop(desk: Developer, times: number, stop: () => boolean): Promise<void> {
  for (let time = 0; time < times && !stop(); time++) {
    const spaces = desk.ledger.spaces.filter(each => !each.passing && each.deleted === 'no')
    const space = desk.random.pick(spaces)
    await pushOne(desk, space, anyRequest(desk, space))
    await new Promise(resolve => setTimeout(resolve, desk.random.below(40)))
  }
}

/** Returns a change request of a space that is not merged, or undefined for the primary content. */
function anyRequest({ random }: Desk, space: Space): Promised | undefined {
  const requests = space.requests.filter(each => each.merged === 'no')
  return requests.length > 0 && random.chance(0.5) ? random.pick(requests) : undefined
}

async function pushOne(
  desk: Developer,
  space: Space,
  request: Promised | undefined,
): Promise<void> {
  const { ledger, fresh } = desk
  const branch = request ? `change-requests/${request.number}` : space.remote.branch
  const clone = await cloneOf(desk, space)
  const ref = `refs/heads/${branch}`

  // The branch of a change request that was merged meanwhile no longer exists.
  if ((await tryGit(clone, ['fetch', '--quiet', 'origin', `+${ref}:${ref}`])).code !== 0) return

  const seen = await git(clone, ['rev-parse', ref])
  const token = fresh('tok')
  const commit = await commitFiles(clone, branch, { [`${token}.md`]: `# ${token}\n` })

  // Without the lease, a push after the merge creates the branch again.
  const lease = desk.random.chance(0.5) ? [`--force-with-lease=${ref}:${seen}`] : []
  const { code, stderr } = await tryGit(clone, [
    'push',
    '--quiet',
    ...lease,
    'origin',
    `${commit}:${ref}`,
  ])
  const words: Map<string, Word> = request ? request.tokens : space.tokens

  if (code === 0) {
    countWrite(ledger, request ? 'request push' : 'push')
    if (request) {
      request.pushed.push({ commit, token })
      return
    }
    words.set(token, 'yes')
    space.commits.push(commit)
    return
  }

  words.set(token, 'no')
  if (!second.test(stderr)) {
    ledger.violations.push(`round ${desk.round}: git push said ${stderr.trim().slice(0, 500)}`)
  }
}

/** A server, and the token that pushes to it. */
export type Door = { url: string; token: string }

/**
 * Prepares pushes over HTTP: their commits and packs, since a client of Git needs longer than the
 * server lives. Half of them propose a change. Returns functions that send them. With an answer of
 * "ok" the commit is there; without any answer it may be; one that was refused leaves nothing.
 */
export async function preparePushes(
  desk: Developer,
  door: Door,
  times: number,
): Promise<(() => Promise<void>)[]> {
  const sending: (() => Promise<void>)[] = []
  for (let time = 0; time < times; time++) {
    const spaces = desk.ledger.spaces.filter(each => !each.passing && each.deleted === 'no')
    const space = desk.random.pick(spaces)
    const send = desk.random.chance(0.5)
      ? await prepareProposal(desk, door, space)
      : await preparePush(desk, door, space, anyRequest(desk, space))
    if (send) sending.push(send)
  }

  return sending
}

type Prepared = { ref: string; from: string; to: string; token: string; pack: Buffer }

/**
 * Makes a commit on a branch of a space, and the pack that brings it; undefined when the branch is
 * gone.
 */
async function prepareCommit(
  desk: Developer,
  space: Space,
  branch: string,
): Promise<Prepared | undefined> {
  const clone = await cloneOf(desk, space, 'http')
  const ref = `refs/heads/${branch}`
  if ((await tryGit(clone, ['fetch', '--quiet', 'origin', `+${ref}:${ref}`])).code !== 0)
    return undefined

  const from = await git(clone, ['rev-parse', ref])
  const token = desk.fresh('tok')
  const to = await commitFiles(clone, branch, { [`${token}.md`]: `# ${token}\n` })
  const name = join(desk.folder, 'clones', token)
  const digest = await git(clone, ['pack-objects', '--quiet', '--revs', name], `${to}\n^${from}\n`)

  return { ref, from, to, token, pack: await readFile(`${name}-${digest}.pack`) }
}

async function preparePush(
  desk: Developer,
  door: Door,
  space: Space,
  request: Promised | undefined,
): Promise<(() => Promise<void>) | undefined> {
  const branch = request ? `change-requests/${request.number}` : space.remote.branch
  const prepared = await prepareCommit(desk, space, branch)
  if (!prepared) return undefined

  const { ref, from, to, token, pack } = prepared
  const words: Map<string, Word> = request ? request.tokens : space.tokens

  return async () => {
    words.set(token, 'maybe')
    const push = { commands: [{ ref, from, to }], pack }
    const answer = await sendPush(door.url, space.id, door.token, push).catch(() => undefined)
    if (answer) settlePush(desk, space, request, { answer, commit: to, token, words })
  }
}

/** Prepares a push to refs/for/, or of a new branch, each of which opens a change request. */
async function prepareProposal(
  desk: Developer,
  door: Door,
  space: Space,
): Promise<(() => Promise<void>) | undefined> {
  const { branch } = space.remote
  const prepared = await prepareCommit(desk, space, branch)
  if (!prepared) return undefined

  const { to, token, pack } = prepared
  const topic = desk.random.chance(0.5) ? `topic/${token}` : undefined
  const ref = topic ? `refs/heads/${topic}` : `refs/for/${branch}`
  const proposal = topic ? `${to} ${topic}` : to

  return async () => {
    space.proposals.set(proposal, 'maybe')
    const push = { commands: [{ ref, to }], pack }
    const answer = await sendPush(door.url, space.id, door.token, push).catch(() => undefined)
    if (!answer) return
    const isDone = isOk(answer)
    space.proposals.set(proposal, isDone ? 'yes' : 'no')
    if (isDone) countWrite(desk.ledger, topic ? 'new branch over HTTP' : 'proposal over HTTP')
    else checkHonest(desk, answer)
  }
}

const isOk = ({ report }: RawAnswer): boolean => report[1]?.startsWith('ok ') === true

type Pushed = { answer: RawAnswer; commit: string; token: string; words: Map<string, Word> }

function settlePush(
  desk: Developer,
  space: Space,
  request: Promised | undefined,
  { answer, commit, token, words }: Pushed,
): void {
  if (isOk(answer)) {
    countWrite(desk.ledger, request ? 'request push over HTTP' : 'push over HTTP')
    if (request) request.pushed.push({ commit, token })
    if (request) words.delete(token)
    else words.set(token, 'yes')
    if (!request) space.commits.push(commit)
    return
  }

  words.set(token, 'no')
  checkHonest(desk, answer)
}

function checkHonest({ ledger, round }: Developer, { status, report }: RawAnswer): void {
  const [unpack = '', verdict = ''] = report
  if (status !== 429 && !honest.test(`${unpack} ${verdict}`))
    ledger.violations.push(`round ${round}: a push over HTTP said ${status} ${unpack} ${verdict}`)
}

/** Refusals of pushes that lost a race. */
const honest =
  /fetch first|non-fast-forward|is merged|is archived|There is no space|Too many concurrent|lacks objects/

async function cloneOf(
  { dataDir, folder }: Developer,
  space: Space,
  way = 'folder',
): Promise<string> {
  const dir = join(folder, 'clones', `${space.id}-${way}.git`)
  if (existsSync(dir)) return dir
  mkdirSync(dir, { recursive: true })
  await git(dir, ['init', '--quiet', '--bare'])
  await git(dir, ['remote', 'add', 'origin', repositoryOf(dataDir, space.id)])
  return dir
}
