import { existsSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import type { PrintOutcome, PrintQuestion } from '../../content/print/order.ts'
import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { ChildError, runChild } from '../../lib/child.ts'
import { sha256 } from '../../lib/digest.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import type { PrintSubject } from './print-book.ts'
import { draftPrint, type PrintDraft } from './print-content.ts'
import {
  findPrint,
  keepPrint,
  type PrintFile,
  printPath,
  removePrints,
  withPrintFolder,
} from './print-files.ts'
import { fontFolders } from './print-fonts.ts'
import type { ImageLimits } from './print-images.ts'

/** Goes up when the same pages would be printed in another way. */
const layoutVersion = 6

/** How long the making of a PDF may take, in milliseconds. */
const mostMs = 60_000

const megabyte = 1024 * 1024

/** The most that it may hold, in megabytes: half of a small machine. */
const megabytes = Math.min(2048, Math.floor(totalmem() / 2 / megabyte))

const imageLimits: ImageLimits = {
  bytes: 10 * megabyte,
  allBytes: 200 * megabyte,
  pixels: 25_000_000,
  // What is left of the memory is for text and fonts.
  allPixels: Math.max(25_000_000, ((megabytes - 512) * megabyte) / 5),
}

/** How many may wait while one is made, and how many of them for the same user. */
const mostWaiting = 8
const mostOfOne = 2

/** What could not be made will not be made a minute later. */
const failureMs = 10 * 60_000

type Press = {
  /** Those that are being made or wait for it, by path. */
  runs: Map<string, Run>
  /** The same, and those that were given up and have not ended yet. */
  under: Set<Promise<PrintFile>>
  /** What could not be made, by path. */
  failures: BoundedCache<string, { fault: Fault; at: number }>
  stop: AbortController
}

type Run = {
  userId: string
  made: Promise<PrintFile>
  /** How many downloads wait for it. */
  waiting: number
  stop: AbortController
}

/** By the store: a context is made for each request, to end where its token ends. */
const presses = new WeakMap<Context['store'], Press>()

function pressOf({ store }: Context): Press {
  const known = presses.get(store)
  if (known) return known
  const press: Press = {
    runs: new Map(),
    under: new Set(),
    failures: new BoundedCache(500),
    stop: new AbortController(),
  }
  presses.set(store, press)
  return press
}

/** Gives up what is being made, for the server ends. */
export async function stopPrints(ctx: Context): Promise<void> {
  const { under, stop } = pressOf(ctx)
  stop.abort(stopping())
  await Promise.allSettled(under)
}

/** Tells a PDF from others: two of the same digest are the same. */
const digestOf = ({ space, view, pages, part, stamp }: PrintSubject, ctx: Pick<Context, 'config'>): string =>
  sha256(
    JSON.stringify([
      layoutVersion,
      [space.id, space.title, space.language, view.oid, part, stamp],
      pages.map(({ node, depth, group }) => [node.id, node.file?.oid, depth, group]),
      fontFolders(ctx),
    ]),
  ).slice(0, 40)

/**
 * The PDF of a book: the one that was made before, or one that is made now; whoever asks meanwhile gets the same. One is
 * made at a time. Throws 'unavailable' at once when too many wait, 'too_many' when too many wait for this user, and
 * 'too_large' when it is known that it cannot be made; what it gives ends in 'too_large' for what cannot be made in a
 * minute or in memory, 'no_space' on a full disk, 'missing' when the space went meanwhile. `gone` is aborted when the caller
 * no longer waits: when the last of those who wait has gone, the PDF is given up.
 */
export function printPdf(
  ctx: Context,
  subject: PrintSubject,
  userId: string,
  gone?: AbortSignal,
): Promise<PrintFile> {
  const path = printPath(ctx, subject.space.id, digestOf(subject, ctx))
  const { runs, failures } = pressOf(ctx)
  const known = runs.get(path)
  if (known) return waitFor(ctx, path, known, gone)
  const failure = failures.get(path)
  if (failure && Date.now() - failure.at < failureMs) throw failure.fault
  if (!existsSync(path)) checkRoom(runs, userId)
  return waitFor(ctx, path, begin(ctx, subject, { path, userId }), gone)
}

function begin(ctx: Context, subject: PrintSubject, { path, userId }: { path: string; userId: string }): Run {
  const { runs, under, stop: stopAll } = pressOf(ctx)
  const stop = new AbortController()
  const signal = AbortSignal.any([stopAll.signal, stop.signal])
  const made = findOrMake(ctx, subject, { path, signal }).finally(() => {
    under.delete(made)
    if (runs.get(path) === run) runs.delete(path)
  })
  const run: Run = { userId, made, waiting: 0, stop }
  runs.set(path, run)
  under.add(made)
  return run
}

function waitFor(ctx: Context, path: string, run: Run, gone: AbortSignal | undefined): Promise<PrintFile> {
  if (!gone) return run.made
  const { runs } = pressOf(ctx)
  run.waiting++
  const leave = () => {
    if (--run.waiting > 0) return
    // Whoever asks from now on gets another run.
    if (runs.get(path) === run) runs.delete(path)
    run.stop.abort(gone.reason)
  }
  if (gone.aborted) leave()
  else gone.addEventListener('abort', leave, { once: true })
  return run.made
}

function checkRoom(runs: Press['runs'], userId: string): void {
  if (runs.size > mostWaiting)
    throw new Fault('unavailable', 'Too many PDFs are being made just now. Try again in a minute.')
  if ([...runs.values()].filter(run => run.userId === userId).length > mostOfOne)
    throw new Fault('too_many', 'Other PDFs that you asked for are still being made. Try again in a minute.')
}

type Target = { path: string; signal: AbortSignal }

async function findOrMake(ctx: Context, subject: PrintSubject, target: Target): Promise<PrintFile> {
  const { path } = target
  const found = await findPrint(path)
  if (found) return found
  try {
    return await ctx.locks.run('print-pdf', () => makePrint(ctx, subject, target))
  } catch (error) {
    if (error instanceof Fault && error.kind === 'too_large')
      pressOf(ctx).failures.set(path, { fault: error, at: Date.now() }, 1)
    throw isFull(error)
      ? new Fault('no_space', 'The disk of the server is full, so the PDF cannot be made now.')
      : error
  }
}

const isFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')

/** The process met what the pages are not to blame for: with the code of a full disk when it was that. */
const brokenOff = ({ message }: ChildError): Error =>
  Object.assign(new Error(message), { code: /\b(?:ENOSPC|EDQUOT)\b/.exec(message)?.[0] })

async function makePrint(ctx: Context, subject: PrintSubject, { path, signal }: Target): Promise<PrintFile> {
  signal.throwIfAborted()
  const started = performance.now()
  const print = await withPrintFolder(ctx, async folder => {
    const draft = await draftPrint(ctx, subject, folder, { limits: imageLimits, signal })
    const outcome = await runPrint(ctx, { folder, signal }, draft)
    if ('error' in outcome) throw unset(ctx, subject, outcome.error)
    const { notes } = draft
    const print = { path, notes }
    await keepPrint(ctx, join(folder, 'out.pdf'), print)
    // What was made of a space goes with it, also when it went meanwhile.
    if (!findSpace(ctx.store, subject.space.id)) {
      await removePrints(ctx, subject.space.id)
      throw missing('space', subject.space.id)
    }
    return print
  })
  const ms = Math.round(performance.now() - started)
  const said = { space: subject.space.id, revision: subject.view.oid, pages: subject.pages.length, ms }
  if (print.notes.length > 0) ctx.log.warn({ ...said, notes: print.notes }, 'a PDF was made with gaps')
  else ctx.log.info(said, 'a PDF was made')
  return print
}

/** What was made of the pages should always compile: that it does not is a fault of ours. */
function unset(ctx: Context, { space, view }: PrintSubject, error: string): Error {
  ctx.log.error({ space: space.id, revision: view.oid, error }, 'a PDF could not be set')
  return new Error('The document made of these pages does not compile.')
}

const stopping = () => new Fault('unavailable', 'The server is stopping. Try again in a minute.')

async function runPrint(
  ctx: Context,
  { folder, signal }: { folder: string; signal: AbortSignal },
  draft: PrintDraft,
): Promise<PrintOutcome> {
  const reply = (line: string) => {
    const said = JSON.parse(line) as PrintQuestion | PrintOutcome
    return 'blobs' in said ? draft.answer(said).then(JSON.stringify) : undefined
  }
  try {
    const limits = { ms: mostMs, megabytes, folder, signal }
    return JSON.parse(await runChild('print-pdf', limits, reply)) as PrintOutcome
  } catch (error) {
    if (!(error instanceof ChildError)) throw error
    if (error.why === 'aborted') throw signal.reason
    if (error.why === 'broken') throw brokenOff(error)
    ctx.log.warn({ why: error.why, error: error.message }, 'a PDF was given up')
    const what =
      error.why === 'timeout'
        ? 'These pages take longer than a minute to be set'
        : 'These pages cannot be set with the memory that a PDF may take'
    throw new Fault('too_large', `${what}: ask for fewer of them, with the id of a page as "page".`)
  }
}
