import { existsSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { stateSlot } from '../../caches.ts'
import type { PrintAnswer, PrintOutcome, PrintQuestion } from '../../content/print/order.ts'
import { canPrint, hasImagePackage, installPrinting } from '../../content/print/packages.ts'
import type { Context } from '../../context.ts'
import { Fault, missing } from '../../errors.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { ChildError, runChild } from '../../lib/child.ts'
import { sha256 } from '../../lib/digest.ts'
import { findSpace } from '../../store/spaces/spaces.ts'
import {
  findPrint,
  keepPrint,
  type PrintFile,
  printPath,
  removePrints,
} from '../made-files/print-files.ts'
import { withWorkFolder } from '../made-files/work-folder.ts'
import type { PrintSubject } from './print-book.ts'
import { draftPrint } from './print-content.ts'
import { fontFolders } from './print-fonts.ts'
import type { ImageLimits } from './print-images.ts'

/** Increment when the layout changes. */
const layoutVersion = 9

/** The time limit for one PDF, in milliseconds. */
const mostMs = 180_000

const megabyte = 1024 * 1024

/** The memory limit for one PDF, in megabytes: at most half of the machine. */
const megabytes = Math.min(2048, Math.floor(totalmem() / 2 / megabyte))

/**
 * Limits of the images of a PDF. With the package that decodes images, large ones are made smaller
 * before the compiler decodes them, at four bytes per pixel.
 */
function imageLimits(): ImageLimits {
  // The rest of the memory is for text and fonts.
  const decodedPixels = Math.max(25_000_000, ((megabytes - 512) * megabyte) / 5)
  return {
    bytes: 10 * megabyte,
    decodedPixels,
    ...(hasImagePackage()
      ? { allBytes: 1024 * megabyte, pixels: 50_000_000, allPixels: 2_000_000_000 }
      : { allBytes: 200 * megabyte, pixels: 25_000_000, allPixels: decodedPixels }),
  }
}

/**
 * How many PDFs may wait while one is made, and how many of these for one caller: a user, or the
 * readers of a site.
 */
const mostWaiting = 8
const mostOfOne = 2

/**
 * How long a failure is remembered: another attempt may fail too, unless the server was busy.
 */
const failureMs = 2 * 60_000

type Press = {
  /** The running and waiting runs, by path. */
  runs: Map<string, Run>
  /** All runs that have not ended, including aborted ones. */
  unfinished: Set<Promise<PrintFile>>
  /** Failures by path. */
  failures: BoundedCache<string, { fault: Fault; at: number }>
  stop: AbortController
}

type Run = {
  callerId: string
  made: Promise<PrintFile>
  /** The number of downloads that wait for it. */
  waiting: number
  stop: AbortController
}

const press = stateSlot(
  (): Press => ({
    runs: new Map(),
    unfinished: new Set(),
    failures: new BoundedCache(500),
    stop: new AbortController(),
  }),
)

/** Aborts all runs when the server stops. */
export async function stopPrints(ctx: Context): Promise<void> {
  const { unfinished, stop } = ctx.caches.get(press)
  stop.abort(stopping())
  await Promise.allSettled(unfinished)
}

/** Returns the identity of a PDF: two PDFs with the same digest are equal. */
const digestOf = (
  { space, view, pages, part, stamp, audience }: PrintSubject,
  ctx: Pick<Context, 'config'>,
): string =>
  sha256(
    JSON.stringify([
      layoutVersion,
      [space.id, space.title, space.language, view.oid, part, stamp],
      pages.map(({ node, depth, group }) => [node.id, node.file?.oid, depth, group]),
      fontFolders(ctx),
      ...(audience ? [audience.claimsId] : []),
    ]),
  ).slice(0, 40)

/**
 * Returns the PDF of a book, from an earlier run or a new one. Concurrent callers share one run;
 * one PDF is made at a time. Throws synchronously: 'not_installed' without the compiler,
 * 'unavailable' when too many PDFs wait, 'too_many' when too many wait for this caller, 'too_large'
 * when the book has failed before. The
 * promise rejects with 'too_large' when the limits of time or memory are exceeded, 'no_space' on a
 * full disk, 'missing' when the space was deleted in the meantime. `gone` is aborted when the
 * caller no longer waits; the run is aborted when no caller is left.
 */
export function printPdf(
  ctx: Context,
  subject: PrintSubject,
  callerId: string,
  gone?: AbortSignal,
): Promise<PrintFile> {
  const path = printPath(ctx, subject.space.id, digestOf(subject, ctx))
  const { runs, failures } = ctx.caches.get(press)
  const known = runs.get(path)
  if (known) return waitFor(ctx, path, known, gone)
  const failure = failures.get(path)
  if (failure && Date.now() - failure.at < failureMs) throw failure.fault

  if (!existsSync(path)) {
    checkInstalled()
    checkRoom(runs, callerId)
  }

  return waitFor(ctx, path, start(ctx, subject, { path, callerId }), gone)
}

function start(
  ctx: Context,
  subject: PrintSubject,
  { path, callerId }: { path: string; callerId: string },
): Run {
  const { runs, unfinished, stop: stopAll } = ctx.caches.get(press)
  const stop = new AbortController()
  const signal = AbortSignal.any([stopAll.signal, stop.signal])
  const made = findOrMake(ctx, subject, { path, signal }).finally(() => {
    unfinished.delete(made)
    if (runs.get(path) === run) runs.delete(path)
  })
  const run: Run = { callerId, made, waiting: 0, stop }

  runs.set(path, run)
  unfinished.add(made)

  return run
}

function waitFor(
  ctx: Context,
  path: string,
  run: Run,
  gone: AbortSignal | undefined,
): Promise<PrintFile> {
  if (!gone) return run.made
  const { runs } = ctx.caches.get(press)
  run.waiting++
  const leave = () => {
    if (--run.waiting > 0) return
    // Later callers get another run.
    if (runs.get(path) === run) runs.delete(path)
    run.stop.abort(gone.reason)
  }
  if (gone.aborted) leave()
  else gone.addEventListener('abort', leave, { once: true })

  return run.made
}

function checkInstalled(): void {
  if (canPrint()) return
  throw new Fault(
    'not_installed',
    `This server makes no PDF files, because the packages for them are not installed. The operator can add them with "${installPrinting}".`,
  )
}

function checkRoom(runs: Press['runs'], callerId: string): void {
  if (runs.size > mostWaiting)
    throw new Fault('busy', 'Too many PDFs are being made. Try again in a minute.')
  if ([...runs.values()].filter(run => run.callerId === callerId).length > mostOfOne)
    throw new Fault(
      'too_many_pending',
      'Other PDFs that you requested are still being made. Try again in a minute.',
    )
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
      ctx.caches.get(press).failures.set(path, { fault: error, at: Date.now() }, 1)
    throw isFull(error)
      ? new Fault('disk_full', 'The PDF cannot be made, because the disk of the server is full.')
      : error
  }
}

const isFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')

/**
 * Returns the error of a process that failed for a reason other than the pages, with the code of a
 * full disk if it was that.
 */
const processFailure = ({ message }: ChildError): Error =>
  Object.assign(new Error(message), { code: /\b(?:ENOSPC|EDQUOT)\b/.exec(message)?.[0] })

async function makePrint(
  ctx: Context,
  subject: PrintSubject,
  { path, signal }: Target,
): Promise<PrintFile> {
  signal.throwIfAborted()
  const started = performance.now()
  const mayKeep = ctx.store.watchErasing()
  const print = await withWorkFolder(ctx, async folder => {
    const answer = await draftPrint(ctx, subject, folder, { limits: imageLimits(), signal })
    const outcome = await runPrint(ctx, { folder, signal }, answer)
    if ('error' in outcome) throw compileFailure(ctx, subject, outcome.error)

    const print = { path, notes: outcome.notes }

    await keepPrint(ctx, join(folder, 'out.pdf'), print)

    // The space may have been deleted in the meantime, and its PDFs with it, or some of its content.
    const isThere = findSpace(ctx.store, subject.space.id) !== undefined
    if (!isThere || !mayKeep()) await removePrints(ctx, subject.space.id)
    if (!isThere) throw missing('space', subject.space.id)
    if (!mayKeep())
      throw new Fault('concurrent_change', 'Content was purged in the meantime. Try again.')

    return print
  })
  const ms = Math.round(performance.now() - started)
  const facts = {
    space: subject.space.id,
    revision: subject.view.oid,
    pages: subject.pages.length,
    ms,
  }
  if (print.notes.length > 0)
    ctx.log.warn({ ...facts, notes: print.notes }, 'a PDF was made with gaps')
  else ctx.log.info(facts, 'a PDF was made')

  return print
}

/**
 * Logs and returns the error of a document that does not compile. Any pages should compile, so this
 * is a bug.
 */
function compileFailure(ctx: Context, { space, view }: PrintSubject, error: string): Error {
  ctx.log.error({ space: space.id, revision: view.oid, error }, 'a PDF could not be compiled')
  return new Error('The document made of these pages does not compile.')
}

const stopping = () => new Fault('stopping', 'The server is stopping. Try again in a minute.')

async function runPrint(
  ctx: Context,
  { folder, signal }: { folder: string; signal: AbortSignal },
  answer: (question: PrintQuestion) => Promise<PrintAnswer>,
): Promise<PrintOutcome> {
  const reply = (line: string) => {
    const message = JSON.parse(line) as PrintQuestion | PrintOutcome
    return 'blobs' in message ? answer(message).then(JSON.stringify) : undefined
  }
  try {
    const limits = { ms: mostMs, megabytes, folder, signal }
    return JSON.parse(await runChild('print-pdf', limits, reply)) as PrintOutcome
  } catch (error) {
    if (!(error instanceof ChildError)) throw error
    if (error.why === 'aborted') throw signal.reason
    if (error.why === 'broken') throw processFailure(error)
    ctx.log.warn({ why: error.why, error: error.message }, 'a PDF was abandoned')
    const problem =
      error.why === 'timeout'
        ? 'Printing these pages takes longer than three minutes.'
        : 'Printing these pages takes more memory than a PDF may use.'

    throw new Fault(
      'result_too_large',
      `${problem} Set "page" to the id of a page to print fewer pages.`,
    )
  }
}
