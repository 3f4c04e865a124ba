import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { exitUsage, Failure } from '../output/failure.ts'
import { fileOfAsset, fileOfPage, foldedFile, otherFile, relativeAddress } from './file-names.ts'
import { leadingPage, rewritePage, rewriteStyle } from './rewrite-page.ts'

/** The most files of a copy. */
const mostFiles = 50_000

/** How many requests are on their way at a time. */
const together = 4

const longestMs = 60_000

type Options = {
  /** The address of the site. */
  address: string
  folder: string
  /** The token of a visitor, for sites that ask for one. */
  visitorToken?: string | undefined
  /** Called with the number of files so far, and of those that are known. */
  onFile?: ((done: number, of: number) => void) | undefined
}

/** The files of a copy: each address is fetched once, and its file is known before. */
class Copy {
  readonly base: URL
  readonly cookie: string | undefined
  /** The addresses that lead to nothing. */
  readonly missing: string[] = []
  readonly #folder: string
  readonly #files = new Map<string, string>()
  readonly #taken = new Set<string>()
  readonly #waiting: { url: URL; file: string }[] = []

  constructor(base: URL, folder: string, cookie: string | undefined) {
    this.base = base
    this.#folder = folder
    this.cookie = cookie
  }

  get known(): number {
    return this.#files.size
  }

  /**
   * Returns the file of an address, which is fetched later; undefined for an address outside of the
   * copy.
   */
  file(url: URL, of: 'page' | 'file'): string | undefined {
    if (url.origin !== this.base.origin) return undefined
    const isBelow = url.pathname.startsWith(this.base.pathname)
    const below = url.pathname.slice(this.base.pathname.length)
    const isPage =
      of === 'page' && isBelow && !/^(?:.*\/)?~/.test(below) && !/\.(?:md|txt|xml)$/.test(below)
    const isFile = /\/~(?:stemma\/(?:assets|files|theme)|gitbook\/icon)(?:\/|$)/.test(url.pathname)
    if (!isPage && !isFile) return undefined

    const key = isPage ? url.pathname : url.pathname + url.search
    const known = this.#files.get(key)
    if (known !== undefined) return known
    if (this.#files.size >= mostFiles)
      throw new Failure(`The site has more than ${mostFiles} files.`)

    const wanted = isPage ? fileOfPage(below) : fileOfAsset(url)
    const file = this.#taken.has(foldedFile(wanted)) ? otherFile(wanted, key) : wanted

    this.#taken.add(foldedFile(file))
    this.#files.set(key, file)
    this.#waiting.push({ url: new URL(key, url), file })

    return file
  }

  /** Returns whether an address is one of the site. */
  has({ origin, pathname }: URL): boolean {
    return origin === this.base.origin && pathname.startsWith(this.base.pathname)
  }

  get waits(): boolean {
    return this.#waiting.length > 0
  }

  next(): { url: URL; file: string } | undefined {
    return this.#waiting.shift()
  }

  async write(file: string, bytes: string | Buffer): Promise<void> {
    const path = join(this.#folder, file)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, bytes)
  }
}

/**
 * Writes a copy of a published site into a new or empty folder, as a reader sees it: pages with
 * relative links, images, files, styles and fonts, without the search and what else needs a server.
 * Returns the number of files, and the addresses that lead to nothing. Throws Failure.
 */
export async function copySite({
  address,
  folder,
  visitorToken,
  onFile,
}: Options): Promise<{ files: number; missing: readonly string[] }> {
  if ((await readdir(folder).catch(() => [])).length > 0)
    throw new Failure(`The folder ${folder} is not empty. Name a new one.`, exitUsage)
  const { base, cookie } = await openSite(address, visitorToken)
  const copy = new Copy(base, folder, cookie)
  copy.file(base, 'page')
  let done = 0

  async function work(): Promise<void> {
    for (let next = copy.next(); next; next = copy.next()) {
      await copyOne(copy, next)
      onFile?.(++done, copy.known)
    }
  }

  // One page leads to the others.
  const first = copy.next()
  if (first) await copyOne(copy, first)
  done++
  while (copy.waits) await Promise.all(Array.from({ length: together }, work))
  const { missing } = copy

  return { files: done - missing.length, missing }
}

/** Returns the base of the site at an address, and the cookie of a visitor. Throws Failure. */
async function openSite(
  address: string,
  visitorToken: string | undefined,
): Promise<{ base: URL; cookie: string | undefined }> {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new Failure(`${JSON.stringify(address)} is not the address of a site.`, exitUsage)
  const url = new URL(address)
  const cookie = visitorToken === undefined ? undefined : await signIn(url, visitorToken)
  const found = await get(url, cookie)

  if (!found?.type.includes(copyForm))
    throw new Failure(
      found
        ? `${url.origin}${url.pathname} leads to ${found.url.origin}${found.url.pathname}, which is no page of a site that this version can copy. Pass --visitor-token if visitors sign in.`
        : `${url.origin}${url.pathname} is no site that everyone may read. Pass --visitor-token if visitors sign in.`,
    )

  return { base: found.url, cookie }
}

/** Returns the cookie of a visitor with a token. Throws Failure. */
async function signIn(address: URL, token: string): Promise<string> {
  const url = new URL(address)
  url.searchParams.set('jwt_token', token)
  const arrived = await answerTo(url, { redirect: 'manual' })
  const cookie = arrived.headers.getSetCookie().find(each => each.includes('stemma-visitor-'))
  if (cookie === undefined) throw new Failure('The site does not accept the visitor token.')
  return cookie.split(';', 1)[0] as string
}

type Got = { url: URL; type: string; bytes: Buffer }

/** What a site calls a page that it sends for a copy. */
const copyForm = 'form=copy'

async function answerTo(url: URL, options: RequestInit): Promise<Response> {
  const answer = await fetch(url, { ...options, signal: AbortSignal.timeout(longestMs) }).catch(
    () => undefined,
  )
  if (!answer) throw new Failure(`No answer from ${url.origin}.`)
  return answer
}

/** Returns what an address has; undefined for nothing. Throws Failure. */
async function get(url: URL, cookie: string | undefined): Promise<Got | undefined> {
  const headers = {
    accept: `text/html;${copyForm},*/*;q=0.5`,
    ...(cookie !== undefined && { cookie }),
  }
  const answer = await answerTo(url, { headers })
  if ([401, 404, 410].includes(answer.status)) return undefined
  if (!answer.ok)
    throw new Failure(`${url.origin}${url.pathname} was answered with ${answer.status}.`)

  const found = new URL(answer.url)

  found.hash = ''
  const type = answer.headers.get('content-type') ?? ''

  return { url: found, type, bytes: Buffer.from(await answer.arrayBuffer()) }
}

async function copyOne(copy: Copy, { url, file }: { url: URL; file: string }): Promise<void> {
  const got = await get(url, copy.cookie)
  if (!got) return void copy.missing.push(url.href)
  const { type, bytes, url: found } = got

  // A redirect of the site leads to another one.
  if (file.endsWith('.html') && copy.has(url) && !copy.has(found))
    return copy.write(file, leadingPage(found.href))

  function target(address: string, of: 'page' | 'file'): string | undefined {
    if (!URL.canParse(address, found)) return address
    const to = new URL(address, found)
    if (!/^https?:$/.test(to.protocol) || address.startsWith('#')) return address
    const other = copy.file(to, of)
    if (other !== undefined) return relativeAddress(file, other) + to.hash
    return to.origin === copy.base.origin ? undefined : to.href
  }

  if (type.startsWith('text/html') && file.endsWith('.html'))
    await copy.write(file, rewritePage(bytes.toString(), target))
  else if (type.startsWith('text/css'))
    await copy.write(
      file,
      rewriteStyle(bytes.toString(), address => target(address, 'file')),
    )
  else await copy.write(file, bytes)
}
