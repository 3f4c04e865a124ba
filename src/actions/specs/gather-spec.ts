import type { DescriptionProblem } from '../../content/openapi/files.ts'
import type { ReadInput, ReadOutput } from '../../content/openapi/read.ts'
import type { Context } from '../../context.ts'
import { runThread, ThreadError } from '../../lib/thread.ts'
import { FetchError } from '../../net/fetch-error.ts'
import { type FetchLimits, fetchUrl } from '../../net/fetch-url.ts'
import type { Route } from '../../net/public-connection.ts'

/** The most bytes that the files of a description may have together. */
export const mostDescriptionBytes = 10 * 1024 * 1024

/** What was read of a description: what is derived from it as JSON, and its files. */
export type Gathered = {
  files: DescriptionFile[]
  entry: string
  outline: string
  pieces: Uint8Array
  problems: DescriptionProblem[]
}

/** A file of a description; the address tells it from others and says what its references are relative to. */
export type DescriptionFile = { address: string; bytes: Uint8Array }

/** Why a description was not read; with `again`, another time it may be. */
export type Unread = {
  code: 'FETCH_TIMEOUT' | 'FETCH_ERROR' | 'PARSE_ERROR'
  message: string
  again: boolean
  /** It was given up before its end, as on a machine that has too much to do: nothing is known of it. */
  unfinished?: boolean
}

const mostFiles = 50
/** How often files may turn out to need others. */
const mostRounds = 10
const fetchTimes = { headersMs: 10_000, allMs: 30_000 }
/** How long all fetching together may take, in milliseconds. */
const gatherMs = 120_000
/** YAML of 10 MB takes ten seconds, and several times that on a machine that has other work. */
const threadLimits = { ms: 60_000, megabytes: 512 }

/** Where the files of a description come from when not all of them are there: undefined for one that was sent as text. */
type Fetch = ((address: string) => Promise<{ bytes: Buffer; url: string }>) | undefined

/**
 * Reads the description at an address, with the files of the same origin that it refers to: 50 at most, 10 MB together.
 * What cannot be read of those is a problem of it. Throws what `stop` says when it is aborted.
 */
export async function gatherFrom(
  ctx: Context,
  address: string,
  route: Route,
  stop: AbortSignal,
  times = fetchTimes,
): Promise<Gathered | Unread> {
  const until = performance.now() + gatherMs
  const limits: FetchLimits = {
    ...times,
    mostBytes: mostDescriptionBytes,
    budget: { left: mostDescriptionBytes },
    stop,
  }
  const fetch = (from: string) => {
    const left = until - performance.now()
    if (left <= 0) throw new FetchError('The files take too long together.', { code: 'FETCH_TIMEOUT' })
    return fetchUrl(from, route, { ...limits, allMs: Math.min(times.allMs, left) })
  }
  try {
    const { bytes, url } = await fetch(address)
    return await readAll(ctx, { address: url, bytes }, fetch, stop)
  } catch (error) {
    stop.throwIfAborted()
    if (!(error instanceof FetchError)) throw error
    return { code: error.code, message: error.message, again: error.again }
  }
}

/** Reads a description that was sent as text. */
export const gatherText = (ctx: Context, bytes: Uint8Array, stop: AbortSignal): Promise<Gathered | Unread> =>
  readAll(
    ctx,
    { address: `text:///openapi.${looksLikeJson(bytes) ? 'json' : 'yaml'}`, bytes },
    undefined,
    stop,
  )

/** Reads a description again whose files are all there, relatively to `text:///`. */
export const readAgain = (
  ctx: Context,
  files: DescriptionFile[],
  entry: string,
  stop: AbortSignal,
): Promise<Gathered | Unread> => readFiles(ctx, { files, entry, unavailable: [] }, undefined, stop)

/** Whether a file is JSON, told by its first bytes. */
export const looksLikeJson = (bytes: Uint8Array): boolean =>
  /^\ufeff?\s*[{[]/.test(Buffer.from(bytes.subarray(0, 200)).toString())

const readAll = (
  ctx: Context,
  first: DescriptionFile,
  fetch: Fetch,
  stop: AbortSignal,
): Promise<Gathered | Unread> =>
  readFiles(ctx, { files: [first], entry: first.address, unavailable: [] }, fetch, stop)

async function readFiles(
  ctx: Context,
  input: ReadInput,
  fetch: Fetch,
  stop: AbortSignal,
): Promise<Gathered | Unread> {
  const { files, entry } = input
  for (let rounds = 0; ; rounds++) {
    const output = await parse(ctx, input, stop)
    if (output.result === 'unfinished')
      return { code: 'PARSE_ERROR', message: output.message, again: false, unfinished: true }
    if (output.result === 'bad') return { code: 'PARSE_ERROR', message: output.message, again: false }
    if (output.result === 'read') {
      const { outline, pieces, problems } = output
      return { files, entry, outline, pieces, problems }
    }
    for (const address of output.addresses) {
      const why =
        files.length >= mostFiles || rounds >= mostRounds
          ? `a description has ${mostFiles} files at most.`
          : await fetchInto(files, address, fetch)
      if (why !== undefined) input.unavailable.push([address, why])
    }
  }
}

/** Fetches another file of a description; gives why it could not be. */
async function fetchInto(
  files: DescriptionFile[],
  address: string,
  fetch: Fetch,
): Promise<string | undefined> {
  if (!fetch) return 'it is not there.'
  try {
    const { bytes, url } = await fetch(address)
    if (new URL(url).origin !== new URL(address).origin) return 'it is on another host.'
    files.push({ address, bytes })
    return undefined
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    return error.message
  }
}

/** One at a time: each may take half a gigabyte of memory. */
const parse = (
  ctx: Context,
  input: ReadInput,
  signal: AbortSignal,
): Promise<ReadOutput | { result: 'unfinished'; message: string }> =>
  ctx.locks.run('parse-openapi', async () => {
    try {
      return await runThread<ReadOutput>('parse-openapi', input, { ...threadLimits, signal })
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ThreadError)) throw error
      if (error.why === 'broken') ctx.log.error({ err: error.message }, 'a description could not be read')
      return { result: 'unfinished', message: sentences[error.why] }
    }
  })

const sentences: Record<ThreadError['why'], string> = {
  timeout: `The description takes more than ${threadLimits.ms / 1000} seconds to read.`,
  memory: `The description takes more than ${threadLimits.megabytes} MB of memory to read.`,
  aborted: 'The server is stopping.',
  broken: 'The description could not be read.',
}
