import { blobId } from '../../../src/content/edit/draft.ts'
import { type Converted, convertImport } from '../../../src/content/importing/convert.ts'

const usual = { entries: 100, bytes: 10_000_000, fileBytes: 5_000_000 }

/** Converts files by name, without a server. */
export const convert = (
  files: Record<string, string | Uint8Array>,
  limits = usual,
): Promise<Converted> =>
  convertImport(
    Object.entries(files).map(([name, bytes]) => ({ name, read: () => Buffer.from(bytes) })),
    {
      limits,
      prefix: 'import',
      into: null,
      keep: bytes => ({ oid: blobId(bytes), size: bytes.length, path: '' }),
    },
  )

/** Converts files of which one is a page. Returns its text, the findings and the other files. */
export async function onlyPageOf(files: Record<string, string | Uint8Array>) {
  const converted = await convert(files)
  if ('refused' in converted) throw new Error(converted.refused)
  const { document } = converted.changes[0] as { document: { markdown: string } }
  const { findings, files: kept } = converted
  return { text: document.markdown, findings: findings.map(({ message }) => message), files: kept }
}
