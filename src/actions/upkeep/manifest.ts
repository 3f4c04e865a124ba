import { z } from 'zod'
import { sha256 } from '../../lib/digest.ts'
import type { Inventory } from '../../store/spaces/inventory.ts'

/** A file of an archive, with the size and digest to check it against. */
export type ArchivedFile = { name: string; bytes: number; sha256: string }

/**
 * The list of everything in a backup. It is the last file of an archive, so an archive with a
 * manifest is complete.
 */
export type Manifest = {
  format: 1
  /** The version of the program that wrote it. */
  program: string
  /** The version of the database's schema. */
  schema: number
  createdAt: string
  counts: Inventory
  spaces: { id: string; title: string; defaultBranch: string; refs: Record<string, string> }[]
  /**
   * The repositories of OpenAPI specs, by organization; absent in archives of the first versions.
   */
  descriptions?: { organization: string; refs: Record<string, string> }[]
  files: ArchivedFile[]
}

/** The only ids that may become part of a path. */
const id = z.string().regex(/^[\w-]{1,64}$/)
const oid = z.string().regex(/^[0-9a-f]{40}$/)
const refs = z.record(z.string().regex(/^refs\/[^\x00-\x20\x7f]{1,1024}$/), oid)

/** The only names that are unpacked. None of them is outside the target folder. */
const fileName = /^(?:stemma\.db|key|(?:spaces|specs)\/[\w-]{1,64}\.bundle)$/

/** Returns whether an archive may contain a file of this name beside the manifest. */
export const isArchivedName = (name: string): boolean => fileName.test(name)

const Shape = z.strictObject({
  format: z.literal(1),
  program: z.string(),
  schema: z.int(),
  createdAt: z.iso.datetime(),
  counts: z.record(z.string(), z.number()),
  spaces: z.array(
    z.object({ id, title: z.string(), defaultBranch: z.string().startsWith('refs/heads/'), refs }),
  ),
  descriptions: z.array(z.object({ organization: id, refs })).optional(),
  files: z.array(
    z.object({
      name: z.string().regex(fileName),
      bytes: z.int().min(0),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
  digest: z.string().optional(),
})

/** Returns a manifest as JSON with a digest of itself. */
export const manifestText = (manifest: Manifest): string =>
  `${JSON.stringify({ ...manifest, digest: digestOf(manifest) }, null, 1)}\n`

const digestOf = ({ digest: _, ...rest }: Manifest & { digest?: string | undefined }): string =>
  sha256(JSON.stringify(rest))

/**
 * Returns the manifest in a text, or a `problem`: the text was not written by `manifestText`, an id
 * or a name would be outside the folder, or something is listed twice. Manifests of the first
 * version of the program have no digest. `newer` is the version of a program that wrote a newer
 * format.
 */
export function readManifest(
  text: string,
): { manifest: Manifest } | { problem: string } | { newer: string } {
  let json: unknown
  try {
    json = JSON.parse(text) as unknown
  } catch {
    return { problem: 'its manifest cannot be read' }
  }

  const { format, program } = Object(json) as { format?: unknown; program?: unknown }
  if (typeof format === 'number' && format > 1) return { newer: String(program).slice(0, 50) }

  const parsed = Shape.safeParse(json)

  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return { problem: `its manifest is wrong at "${issue?.path.join('.')}"` }
  }

  const manifest = json as Manifest & { digest?: string }
  if (manifest.digest !== undefined && manifest.digest !== digestOf(manifest))
    return { problem: 'its manifest is not as it was written' }

  const doubled = repeated([
    ...manifest.files.map(({ name }) => name),
    ...manifest.spaces.map(space => space.id),
    ...(manifest.descriptions ?? []).map(({ organization }) => `specs ${organization}`),
  ])
  if (doubled !== undefined) return { problem: `it names "${doubled}" twice` }

  return { manifest }
}

const repeated = (names: readonly string[]): string | undefined =>
  names.find((name, at) => names.indexOf(name) !== at)

/**
 * Returns the first difference between the files of a manifest and the digests of those in an
 * archive, by name.
 */
export function compareFiles(
  files: readonly ArchivedFile[],
  found: ReadonlyMap<string, string>,
): string | undefined {
  const known = new Set(files.map(({ name }) => name))
  for (const { name, sha256 } of files)
    if (found.get(name) !== sha256) return `"${name}" is not as it was written`
  for (const name of found.keys())
    if (!known.has(name)) return `its manifest does not name "${name}"`
  return undefined
}
