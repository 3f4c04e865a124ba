import { treeSteps } from '../../content/tree/build.ts'
import { changedBlobs, deriveTree } from '../../content/tree/derive.ts'
import { type Identity, sameIdentity } from '../../content/tree/identity.ts'
import type { Prepared, RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { readCommit, unreadable } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { readRef } from '../../git/refs/refs.ts'
import { type ChangedFile, changedFiles } from '../../git/trees/changed-files.ts'
import type { Oid } from '../../git/values/oid.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { inSlices } from '../../lib/slices.ts'
import { identityRef } from '../repositories/ref-names.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { deriveIdentity, nearestIdentity, noIdentity, readIdentity } from './identity.ts'
import { readContent, readFacts } from './read-content.ts'

/**
 * What a view holds in memory, in bytes: it decides how many are kept. Measured: 510 a file, 1,320 a page and some
 * hundreds for its facts. One that was derived shares nearly all of it, but may outlive the one that it shares with.
 */
const weigh = (view: RevisionView): number =>
  20_000 + view.content.files.length * 500 + view.content.pageById.size * 1_800

/** The most bytes of answers kept with one view; when there are more all of them go. */
const mostAnswerBytes = 16 * 1024 * 1024
const answerBytes = new WeakMap<RevisionView, number>()

/** Views of damaged repositories: what they lack is there once it is mended, so they are not kept. */
const partial = new WeakSet<RevisionView>()

/** Whether nothing of what a view is made from was damaged: only then is what it says the last word. */
export const isWhole = (view: RevisionView): boolean => !partial.has(view)

const loading = new Map<string, Promise<RevisionView>>()

/** Where the notes stood when a commit had none; its view has the exceptions that follow from the commits before. */
const unnoted = new WeakMap<RevisionView, { notes: Oid | undefined }>()

/** A revision of a space, read and understood: at once when it was read lately. Throws GitError 'object_unreadable' when there is no such commit: whoever asks knows of it from a ref or a row. */
export async function viewRevision(ctx: Context, spaceId: string, oid: Oid): Promise<RevisionView> {
  const key = `${spaceId} ${oid}`
  const repo = spaceRepository(ctx, spaceId)
  // Many readers of a fresh revision wait for one reading of it.
  const known = ctx.views.get(key) ?? (await loading.get(key))
  if (known && (!unnoted.has(known) || (await isAsNoted(repo, known)))) return known
  const pending = loading.get(key)
  if (pending) return pending
  const load = loadView(ctx, repo, spaceId, oid)
    .then(({ view, whole }) => {
      if (whole) keepView(ctx, spaceId, view)
      else partial.add(view)
      return view
    })
    .finally(() => loading.delete(key))
  loading.set(key, load)
  return load
}

/** Whether a view of a commit that had no note is still right: a push may have been read before anybody took note of it. */
async function isAsNoted(repo: Repository, view: RevisionView): Promise<boolean> {
  const notes = readRef(repo, identityRef)
  if (notes === unnoted.get(view)?.notes) return true
  const noted = await readIdentity(repo, view.oid as Oid)
  if (!noted) unnoted.set(view, { notes })
  else if (sameIdentity(noted, view.identity)) unnoted.delete(view)
  else return false
  return true
}

/** Keeps what is known of a revision that was made just now, so that its readers find it. */
export function keepView(ctx: Context, spaceId: string, view: RevisionView): void {
  hold(ctx, spaceId, view, weigh(view))
  latest.set(spaceId, view.oid, 1)
}

/** Keeps an answer with the view it was made from, and counts it in what the view weighs. */
export function keepAnswer(
  ctx: Context,
  spaceId: string,
  view: RevisionView,
  asked: string,
  answer: Prepared,
): void {
  const size = (prepared: Prepared) => prepared.bytes.length + 300
  if (size(answer) > mostAnswerBytes || partial.has(view)) return
  const before = view.answers.get(asked)
  let total = (answerBytes.get(view) ?? 0) - (before ? size(before) : 0) + size(answer)
  if (total > mostAnswerBytes) {
    view.answers.clear()
    total = size(answer)
  }
  view.answers.set(asked, answer)
  answerBytes.set(view, total)
  hold(ctx, spaceId, view, weigh(view) + total)
}

/** One that weighs more than all may together is held alone: every reader would wait until it is built anew. */
const hold = (ctx: Context, spaceId: string, view: RevisionView, bytes: number): void =>
  ctx.views.set(`${spaceId} ${view.oid}`, view, Math.min(bytes, ctx.views.limit))

async function loadView(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  oid: Oid,
): Promise<{ view: RevisionView; whole: boolean }> {
  const commit = await readCommit(repo, oid)
  if (!commit) throw unreadable(oid)
  const notes = readRef(repo, identityRef)
  const noted = await readIdentity(repo, oid)
  const wanted = noted ?? (await followedIdentity(ctx, repo, spaceId, oid, commit.tree))
  const near = await nearView(ctx, repo, spaceId, commit)
  const follows = near !== undefined && sameIdentity(wanted, near.view.identity)
  const identity = follows ? near.view.identity : wanted
  const { content, notices, whole } =
    (follows && (await deriveContent(ctx, repo, near))) ||
    (await buildContent(ctx, repo, spaceId, commit.tree, identity, near?.view))
  const view: RevisionView = {
    oid,
    treeOid: commit.tree,
    parents: commit.parents,
    message: commit.message,
    author: personOf(commit.author),
    committer: personOf(commit.committer),
    committedAt: commit.committer.at,
    content,
    identity,
    notices,
    answers: new Map(),
  }
  if (!noted) unnoted.set(view, { notes })
  return { view, whole }
}

/** A revision in memory, and what differs from it. */
type Near = { view: RevisionView; changes: readonly ChangedFile[] }

/** More changed files than this, and a tree is built, not derived. */
const mostChanges = 500

/** The view last read of each space, by the space's id. */
const latest = new BoundedCache<string, string>(2_000)

/** A view in memory that a commit differs little from: of a parent, or of what was read last of the space. */
async function nearView(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  { tree, parents }: { tree: Oid; parents: readonly Oid[] },
): Promise<Near | undefined> {
  const last = latest.get(spaceId)
  const known = new Set([...parents, ...(last ? [last] : [])])
  const views = [...known].flatMap(oid => ctx.views.get(`${spaceId} ${oid}`) ?? [])
  const same = views.find(view => view.treeOid === tree)
  if (same) return { view: same, changes: [] }
  for (const view of views) {
    const changes = await changedFiles(repo, view.treeOid as Oid, tree, mostChanges)
    if (changes) return { view, changes }
  }
  return undefined
}

type Content = Pick<RevisionView, 'content' | 'notices'> & { whole: boolean }

/** The content as it follows from a revision with the same exceptions; undefined when it has to be built. */
async function deriveContent(
  ctx: Context,
  repo: Repository,
  { view, changes }: Near,
): Promise<Content | undefined> {
  const { content, notices } = view
  if (changes.length === 0) return { content, notices, whole: true }
  const { facts, whole } = await readFacts(ctx, repo, changedBlobs(content, changes))
  const derived = deriveTree(content, changes, oid => facts.get(oid))
  return derived && { content: derived, notices, whole }
}

async function buildContent(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  tree: Oid,
  identity: Identity,
  near: RevisionView | undefined,
): Promise<Content> {
  const { input, notices, whole } = await readContent(ctx, repo, spaceId, tree, near?.content.summary)
  return { content: await inSlices(treeSteps({ ...input, identity, near })), notices, whole }
}

const personOf = ({ name, email }: { name: string; email: string }) => ({ name, email })

/**
 * The exceptions of a commit that nobody noted (it was never a head that we saw): as they follow from the nearest noted
 * one behind it.
 */
async function followedIdentity(
  ctx: Context,
  repo: Repository,
  spaceId: string,
  oid: Oid,
  tree: Oid,
): Promise<Identity> {
  const before = await nearestIdentity(repo, oid)
  return before ? deriveIdentity(ctx, repo, spaceId, before, { oid, tree }) : noIdentity
}
