import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { extract, type Pack, pack } from 'tar-stream'
import { Fault } from '../../errors.ts'
import { syncFolders } from '../../git/disk/durable.ts'
import { AgeError, decryptAge, encryptAge, isAge } from '../../lib/age.ts'
import { randomId } from '../../lib/digest.ts'
import {
  type ArchivedFile,
  compareFiles,
  isArchivedName,
  type Manifest,
  manifestText,
  readManifest,
} from './manifest.ts'

const manifestName = 'manifest.json'
export const databaseName = 'stemma.db'
export const keyName = 'key'
/** Returns the name of the bundle of a space in an archive. */
export const bundleName = (spaceId: string): string => `spaces/${spaceId}.bundle`

/** Returns the name of the bundle of an organization's OpenAPI specs in an archive. */
export const specsBundleName = (organizationId: string): string => `specs/${organizationId}.bundle`

/** A function that adds a file on disk to the archive. */
export type AddFile = (name: string, file: string) => Promise<ArchivedFile>

/**
 * Writes a tar archive with mode 600. `fill` adds the files and returns the manifest, which is
 * written last. With a passphrase the archive is encrypted and authenticated as a whole (see
 * lib/age.ts). The file appears under its name when it is complete and durable, or not at all.
 */
export async function writeArchive(
  file: string,
  fill: (add: AddFile) => Promise<Manifest>,
  { passphrase }: { passphrase?: string | undefined } = {},
): Promise<Manifest> {
  const temporary = `${file}.${randomId(8)}.tmp`
  const handle = await open(temporary, 'wx', 0o600)
  const tar = pack()
  const written = (async () => {
    const bytes = tar as AsyncIterable<Uint8Array>
    const written = passphrase === undefined ? bytes : encryptAge(bytes, passphrase)
    for await (const chunk of written) await handle.writeFile(chunk)
    await handle.sync()
  })()

  try {
    // When the disk is full, the packer's output is no longer read and `fill` would wait forever.
    const failed = written.then(() => new Promise<never>(() => {}))
    const manifest = await Promise.race([
      failed,
      fill((name, from) => Promise.race([failed, add(tar, name, from)])),
    ])

    tar.entry({ name: manifestName, mode: 0o600 }, manifestText(manifest))
    tar.finalize()
    await written
    await handle.close()
    await rename(temporary, file)
    await syncFolders([dirname(file)])

    return manifest
  } catch (error) {
    tar.destroy()
    await written.catch(() => {})
    await handle.close().catch(() => {})
    await rm(temporary, { force: true })
    throw error
  }
}

async function add(tar: Pack, name: string, file: string): Promise<ArchivedFile> {
  const { size } = await stat(file)
  const hash = createHash('sha256')
  await new Promise<void>((resolve, reject) => {
    const entry = tar.entry({ name, size, mode: 0o600 }, error =>
      error ? reject(error) : resolve(),
    )
    entry.on('error', reject)
    feed(entry, file, hash).catch(reject)
  })

  return { name, bytes: size, sha256: hash.digest('hex') }
}

async function feed(entry: ReturnType<Pack['entry']>, file: string, hash: Hash): Promise<void> {
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
    hash.update(chunk)
    if (!entry.write(chunk))
      await new Promise<void>(drained => entry.once('drain', () => drained()))
  }
  entry.end(null)
}

type ReadOptions = {
  /** The passphrase of an encrypted archive. */
  passphrase?: string | undefined
  /** Selects the files to unpack; the others are only checked. */
  isWanted?: (name: string) => boolean
}

/**
 * Unpacks an archive into a new folder, and checks that it holds exactly the files of its manifest,
 * with their digests. Throws Fault 'invalid' for a file that is not a complete backup in a known
 * format, for an encrypted one without its passphrase, and for an unencrypted one if a passphrase
 * is given, because an unencrypted file can be replaced by anyone with access to the folder.
 */
export async function readArchive(
  file: string,
  into: string,
  { passphrase, isWanted = () => true }: ReadOptions = {},
): Promise<Manifest> {
  for (const folder of ['spaces', 'specs'])
    await mkdir(join(into, folder), { recursive: true, mode: 0o700 })
  const source = await openArchive(file, passphrase)
  const found = await unpack(file, source, into, name => name === manifestName || isWanted(name))
  if (!found.delete(manifestName)) throw damaged(file, 'its end is missing')

  const read = readManifest(await readFile(join(into, manifestName), 'utf8'))
  if ('problem' in read) throw damaged(file, read.problem)

  if ('newer' in read)
    throw new Fault(
      'invalid_input',
      `${file} was written by a newer version of Stemma (${read.newer}). Restore it with that version.`,
    )

  const { manifest } = read
  const wrong = compareFiles(manifest.files, found)
  if (wrong !== undefined) throw damaged(file, wrong)

  return manifest
}

/** Returns the bytes of the tar archive in a file. */
async function openArchive(
  file: string,
  passphrase: string | undefined,
): Promise<AsyncIterable<Uint8Array>> {
  const handle = await open(file, 'r')
  const start = Buffer.alloc(64)
  try {
    await handle.read(start, 0, start.length, 0)
  } finally {
    await handle.close()
  }

  const source = createReadStream(file, { highWaterMark: 256 * 1024 })

  if (passphrase === undefined) {
    if (!isAge(start)) return source
    source.destroy()
    throw new Fault(
      'invalid_input',
      `${file} is encrypted. Give its passphrase in STEMMA_BACKUP_PASSPHRASE or with --passphrase-file.`,
    )
  }

  if (isAge(start)) return decryptAge(source, passphrase)
  source.destroy()
  throw new Fault(
    'invalid_input',
    `${file} is not encrypted, but a passphrase is given. If you are sure that it was not replaced, try again without the passphrase.`,
  )
}

/** Unpacks the files of an archive. Returns the SHA-256 of each, by name. */
async function unpack(
  file: string,
  bytes: AsyncIterable<Uint8Array>,
  into: string,
  isWanted: (name: string) => boolean,
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  let begun = false
  const tar = extract()
  const source = Readable.from(bytes)

  source.on('error', error => tar.destroy(error))
  source.pipe(tar)

  try {
    for await (const entry of tar) {
      const { name, type } = entry.header
      checkEntry(file, found, name, type)
      begun = true
      const content = entry as AsyncIterable<Uint8Array>
      found.set(
        name,
        await (isWanted(name) ? writeEntry(content, join(into, name)) : hashOf(content)),
      )
    }
  } catch (error) {
    throw unpackFault(file, begun, error)
  } finally {
    source.destroy()
  }

  if (!begun) throw foreign(file)

  return found
}

/** Throws unless an entry may come next: a known name, once, and nothing after the manifest. */
function checkEntry(
  file: string,
  found: ReadonlyMap<string, string>,
  name: string,
  type: string | null | undefined,
): void {
  const isOurs = type === 'file' && (name === manifestName || isArchivedName(name))
  if (found.size === 0 && !isOurs) throw foreign(file)
  if (!isOurs || found.has(name) || found.has(manifestName))
    throw damaged(file, `it holds an unexpected ${JSON.stringify(name.slice(0, 100))}`)
}

/**
 * Returns the error to throw for one that occurred while unpacking. Errors of the file system stay
 * as they are.
 */
function unpackFault(file: string, begun: boolean, error: unknown): unknown {
  if (error instanceof AgeError) return refused(file, error.message)
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof Fault || (code && /^E[A-Z]+$/.test(code))) return error
  return begun
    ? damaged(file, error instanceof Error ? error.message : String(error))
    : foreign(file)
}

async function hashOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of content) hash.update(chunk)
  return hash.digest('hex')
}

async function writeEntry(entry: AsyncIterable<Uint8Array>, file: string): Promise<string> {
  const hash = createHash('sha256')
  const handle = await open(file, 'wx', 0o600)
  try {
    for await (const chunk of entry) {
      hash.update(chunk)
      await handle.writeFile(chunk)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }

  return hash.digest('hex')
}

const damaged = (file: string, why: string): Fault =>
  new Fault('invalid_input', `${file} is not a complete Stemma backup: ${why}. Use another one.`)

const refused = (file: string, why: string): Fault =>
  new Fault('invalid_input', `${file} cannot be decrypted: ${why}.`)

const foreign = (file: string): Fault =>
  new Fault('invalid_input', `${file} is not a Stemma backup.`)
