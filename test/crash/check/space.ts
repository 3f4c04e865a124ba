import {
  between,
  fsck,
  type Repository,
  readCommits,
  readRepository,
} from '../clients/repository.ts'
import type { Promised, Space, Word } from '../ledger.ts'
import type { RequestRow, Rows } from './rows.ts'

type Say = (what: string) => void

/** Compares a space's rows with Git, and both with what was promised. Returns the differences. */
export async function checkSpace(
  rows: Rows,
  dir: string,
  id: string,
  promised: Space | undefined,
  thorough: boolean,
): Promise<string[]> {
  const found: string[] = []
  const say: Say = what => found.push(`space ${id}: ${what}`)
  let repo: Repository

  try {
    repo = await readRepository(dir)
  } catch (error) {
    say(String(error))
    return found
  }

  checkRefs(rows, repo, id, say)
  checkLine(rows, repo, id, say)
  checkNamed(rows, repo, id, say)
  const requests = rows.requests.filter(row => row.space_id === id)

  checkNumbers(rows, requests, id, say)
  for (const request of requests) checkMerged(repo, request, say)
  if (promised) checkPromises(rows, repo, promised, requests, say)
  if (promised && promised.exports.length > 0) await checkExports(rows, repo, promised, say)
  if (!thorough) return found
  for (const request of requests) checkContributions(repo, request, say)
  for (const line of await fsck(dir)) say(line)

  return found
}

/**
 * Compares the mirror of the refs with the refs, in both directions, for refs that the service
 * creates.
 */
function checkRefs(rows: Rows, repo: Repository, id: string, say: Say): void {
  const mirror = new Map(
    rows.refs.filter(row => row.space_id === id).map(row => [row.name, row.oid]),
  )
  for (const [name, oid] of mirror)
    if (repo.refs.get(name) !== oid)
      say(`the mirror has ${name} at ${oid}, but Git has it at ${repo.refs.get(name)}`)
  for (const [name, oid] of repo.refs)
    if (/^refs\/(heads|notes)\//.test(name) && !mirror.has(name) && !isLate(rows, repo, id, name))
      say(`Git has ${name} at ${oid}, but no row has`)
}

/**
 * True for the branch of a merged change request that received a late push: such a branch is kept.
 */
function isLate(rows: Rows, repo: Repository, id: string, name: string): boolean {
  const byPerson = repo.commits.get(repo.refs.get(name) ?? '')?.byPerson
  const number = /^refs\/heads\/change-requests\/(\d+)$/.exec(name)?.[1]
  const row = rows.requests.find(each => each.space_id === id && String(each.number) === number)
  return byPerson === true && row?.status === 'merged'
}

/** The index of revisions is the first-parent line, counted from 1. */
function checkLine(rows: Rows, repo: Repository, id: string, say: Say): void {
  const index = rows.revisions.filter(row => row.space_id === id)
  const line = [...repo.line].reverse()
  if (index.length !== line.length)
    say(`there are ${index.length} rows, but ${line.length} revisions`)
  const at = index.findIndex((row, place) => row.oid !== line[place]?.oid || row.seq !== place + 1)
  if (at >= 0)
    say(`revision ${at + 1} is ${index[at]?.oid} in its row, but ${line[at]?.oid} in Git`)
}

/** Checks that a ref holds every commit that a row names. */
function checkNamed(rows: Rows, repo: Repository, id: string, say: Say): void {
  const named = [
    ...rows.requests
      .filter(row => row.space_id === id)
      .flatMap(row => [
        row.revision,
        row.revision_initial,
        row.revision_merged,
        row.revision_merged_ancestor,
      ]),
    ...rows.syncs.filter(row => row.space_id === id).map(row => row.revision),
    ...rows.refs.filter(row => row.space_id === id).map(row => row.oid),
  ]
  for (const oid of new Set(named))
    if (oid && !repo.held.has(oid)) say(`a row names ${oid}, which is unreachable`)
}

/** Checks that change requests are numbered 1, 2, 3 … without gaps. */
function checkNumbers(rows: Rows, requests: readonly RequestRow[], id: string, say: Say): void {
  const last = rows.spaces.find(row => row.id === id)?.last_change_request ?? 0
  const numbers = requests.map(row => row.number)
  if (numbers.some((number, place) => number !== place + 1) || numbers.length !== last)
    say(`change requests are numbered ${numbers.slice(-5)}, but ${last} numbers were assigned`)
}

/**
 * Checks that a change request is merged exactly if its head is in the primary branch, by a merge
 * commit of both.
 */
function checkMerged(repo: Repository, row: RequestRow, say: Say): void {
  const branch = `refs/heads/change-requests/${row.number}`
  const about = `request ${row.number}`
  if (row.status !== 'merged') {
    if (repo.refs.get(branch) !== row.revision)
      say(`${about} is at ${row.revision}, but its branch at ${repo.refs.get(branch)}`)
    if (row.revision !== row.revision_initial && repo.onPrimary.has(row.revision))
      say(`${about} is ${row.status}, but its head is in the primary content`)
    return
  }

  const left = repo.commits.get(repo.refs.get(branch) ?? '')
  if (left && !left.byPerson) say(`${about} is merged, but its branch still exists`)

  const merge = repo.line.find(({ oid }) => oid === row.revision_merged)
  if (!merge) say(`${about} is merged with ${row.revision_merged}, which is not on the line`)
  else if (merge.parents.length !== 2 || merge.parents[1] !== row.revision)
    say(`${about} is merged with ${merge.oid}, whose parents are ${merge.parents}`)
}

/**
 * Checks that every commit of a change request counts, except pushed ones, whose authors are
 * unknown.
 */
function checkContributions(repo: Repository, row: RequestRow, say: Say): void {
  const own = between(repo.commits, row.revision_initial, row.revision)
  const counted = own.filter(({ byPerson }) => !byPerson).length
  if (counted !== row.contributions)
    say(`request ${row.number} counts ${row.contributions} contributions for ${counted} commits`)
}

function checkPromises(
  rows: Rows,
  repo: Repository,
  space: Space,
  requests: readonly RequestRow[],
  say: Say,
): void {
  for (const request of space.requests)
    checkRequest(
      repo,
      space,
      request,
      requests.find(row => row.id === request.id),
      say,
    )

  checkProposals(repo, space, requests, say)
  checkImports(rows, repo, space, say)
  const counts = repo.tokens.get(repo.primary)!

  settleTokens(space.tokens, counts, 'the primary content', say)

  for (const tokens of space.folders) {
    const there = tokens.filter(token => counts.has(token))
    if (there.length > 0 && there.length < tokens.length)
      say(`of a folder with ${tokens.join(', ')}, only ${there.join(', ')} arrived`)
  }

  for (const commit of space.commits)
    if (!repo.onPrimary.has(commit))
      say(`the promised revision ${commit} is missing in the primary content`)
  for (const token of counts.keys()) if (!space.tokens.has(token)) say(`no client sent ${token}`)
}

function checkRequest(
  repo: Repository,
  space: Space,
  request: Promised,
  row: RequestRow | undefined,
  say: Say,
): void {
  if (!row) {
    say(`the promised change request ${request.id} does not exist`)
    return
  }

  const merged = row.status === 'merged'
  if (request.merged === 'yes' && !merged)
    say(`request ${row.number} was promised to be merged, but is not`)
  if (merged && request.merged === 'no') say(`request ${row.number} is merged without a request`)

  if (request.mergeRevision && request.mergeRevision !== row.revision_merged)
    say(
      `request ${row.number} was promised ${request.mergeRevision} but has ${row.revision_merged}`,
    )

  request.merged = merged ? 'yes' : 'no'
  const held = merged ? repo.onPrimary : repo.onBranches

  for (const commit of request.commits)
    if (!held.has(commit)) say(`the revision ${commit} promised to request ${row.number} is gone`)

  for (const { commit, token } of request.pushed) {
    if (!repo.onBranches.has(commit))
      say(`what was pushed to request ${row.number} is gone: ${commit}`)
    if (!merged) request.tokens.set(token, 'yes')
    else space.tokens.set(token, repo.onPrimary.has(commit) ? 'yes' : 'no')
  }

  if (merged) {
    for (const [token, word] of request.tokens)
      if (!isPushed(request, token)) space.tokens.set(token, word)
    request.tokens.clear()
    return
  }

  const counts = repo.tokens.get(`refs/heads/change-requests/${row.number}`) ?? new Map()

  settleTokens(request.tokens, counts, `request ${row.number}`, say)
}

/**
 * Checks that a push has opened one change request, whose branch it is, or none. Nobody goes on
 * with these.
 */
function checkProposals(
  repo: Repository,
  { proposals }: Space,
  requests: readonly RequestRow[],
  say: Say,
): void {
  const tips = new Set(
    [...repo.refs].filter(([name]) => name.startsWith('refs/heads/')).map(([, oid]) => oid),
  )
  const opened = requests.map(({ revision, branch }) =>
    branch === null ? revision : `${revision} ${branch}`,
  )
  for (const [proposal, word] of proposals) {
    const count = opened.filter(each => each === proposal).length
    if (count > 1) say(`the pushed proposal ${proposal} has opened ${count} change requests`)
    if (count === 0 && word === 'yes') say(`the pushed proposal ${proposal} is lost`)
    if (count > 0 && word === 'no') say(`the pushed proposal ${proposal} was refused, but is there`)
    if (count === 0 && tips.has(proposal.slice(0, 40)))
      say(`the pushed proposal ${proposal} has a branch, but no change request`)
    proposals.set(proposal, count > 0 ? 'yes' : 'no')
  }
}

const isPushed = (request: Promised, token: string): boolean =>
  request.pushed.some(each => each.token === token)

/**
 * Checks imports: a successful one has brought its commit and its token. Only kills, the fifth of
 * which abandons an import, and the deletion of its space may make one fail.
 */
function checkImports(rows: Rows, repo: Repository, space: Space, say: Say): void {
  const deleted = rows.spaces.some(({ id, deleted_at }) => id === space.id && deleted_at !== null)
  const reason = deleted
    ? /The server stopped \d+ times|The space was deleted/
    : /The server stopped \d+ times/
  for (const each of space.imports) {
    const row = rows.syncs.find(({ id }) => id === each.id)
    if (!row && each.id) say(`the promised import ${each.id} does not exist`)
    if (row?.state === 'failure' && !reason.test(row.error ?? ''))
      say(`the import ${each.id} failed: ${row.error}`)
    const there = repo.onPrimary.has(each.commit)
    if (row?.state === 'success' && !there)
      say(`the import ${each.id} succeeded without ${each.commit}`)
    space.tokens.set(each.token, there ? 'yes' : 'no')
  }
}

/**
 * Checks exports: the revision of a successful one is on both ends, and so is everything that an
 * export brought to the remote. A failed export has an error message.
 */
async function checkExports(rows: Rows, repo: Repository, space: Space, say: Say): Promise<void> {
  const there = await readCommits(space.remote.dir, [`refs/heads/${space.remote.branch}`])
  const mine = rows.syncs.filter(row => row.space_id === space.id && row.direction === 'export')
  for (const each of space.exports) {
    const row = mine.find(({ id }) => id === each.id)
    if (!row && each.id) say(`the promised export ${each.id} does not exist`)
    each.ended = row?.error ?? row?.state
  }

  for (const { id, state, revision, error } of mine) {
    if (state === 'failure' && !error) say(`the export ${id} failed without an error message`)
    if (state !== 'success') continue
    if (!revision || !there.has(revision))
      say(`the export ${id} succeeded, but ${revision} is not in the remote`)
    if (!revision || !repo.onPrimary.has(revision))
      say(`the export ${id} succeeded, but ${revision} is not in the primary content`)
  }

  if (mine.some(({ state }) => state !== 'success')) return
  for (const { oid, byPerson } of there.values())
    if (!byPerson && !repo.onPrimary.has(oid))
      say(`the remote has ${oid} from an export, but the primary content does not`)
}

/**
 * Checks that promised tokens occur once, tokens in doubt at most once, and no others; settles
 * those in doubt.
 */
function settleTokens(
  words: Map<string, Word>,
  counts: Map<string, number>,
  where: string,
  say: Say,
): void {
  for (const [token, word] of words) {
    const count = counts.get(token) ?? 0
    if (count > 1) say(`${token} is in ${where} ${count} times`)
    if (count === 0 && word === 'yes') say(`${token} is lost from ${where}`)
    if (count > 0 && word === 'no') say(`${token} was refused, but is in ${where}`)
    words.set(token, count > 0 ? 'yes' : 'no')
  }
}
