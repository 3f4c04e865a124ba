import type { Oid } from '../../lib/oid.ts'
import type { Link } from '../links/find.ts'
import type { ContentTree, PageNode, TreeInput } from '../tree/build.ts'

/**
 * The files of the revision that a batch changes, with everything else that its page tree is built
 * from.
 */
export type Structure = Omit<TreeInput, 'identity'>

/** A blob with links, and those links. */
export type LinkingBlob = { bytes: Uint8Array; links: readonly Link[] }

/** A question that a batch asks its driver; see `Answers`. */
export type Request =
  | { ask: 'blobs'; oids: readonly Oid[] }
  | { ask: 'links'; to: readonly string[]; oids: readonly Oid[] }
  | { ask: 'snapshots'; names: readonly string[] }
  | { ask: 'structure' }

/** The answers to each kind of request. */
type Answers = {
  /** The bytes of the blobs, by id; without those that are too large to be edited. */
  blobs: ReadonlyMap<string, Uint8Array>
  /**
   * Those of the blobs that may link to one of the files, by id; see `inboundOf`. The others are
   * not kept in memory.
   */
  links: ReadonlyMap<string, LinkingBlob>
  /**
   * The trees of revisions, by the name that changes use; without '' if there is no revision to
   * revert to by default.
   */
  snapshots: ReadonlyMap<string, ContentTree>
  structure: Structure
}

/** A function per kind of request that answers it. */
export type Answering = {
  [Kind in Request['ask']]: (
    request: Extract<Request, { ask: Kind }>,
  ) => Answers[Kind] | Promise<Answers[Kind]>
}

/** Answers a request; with a promise if the function for its kind returns one. */
export function answerTo(answering: Answering, request: Request): unknown {
  const answer = answering[request.ask] as (request: Request) => unknown
  return answer(request)
}

/**
 * Work in steps that reads: it yields a request and is resumed with the answer, or yields nothing
 * where it can be interrupted.
 */
export type Asking<Result> = Generator<Request | undefined, Result, unknown>

/** Asks the driver. */
export function* ask<Kind extends Request['ask']>(
  request: Extract<Request, { ask: Kind }>,
): Asking<Answers[Kind]> {
  return (yield request) as Answers[Kind]
}

/**
 * What a change is known to read before the batch begins. It saves round trips: all changes of a
 * batch are served together, and what is missing here is asked for later.
 */
export type Prefetch = {
  /** The blob of the page that it changes. */
  blob?: Oid | undefined
  /** The revision that it refers to, and the page whose file it reads there. */
  base?: { revision: string; page?: string } | undefined
  /**
   * The files whose inbound links it rewrites. A function is called with the page in the revision
   * `base`.
   */
  linksTo?: readonly string[] | ((was: PageNode | undefined) => readonly string[])
}
