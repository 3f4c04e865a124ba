import { type SourceLine, sourceLines } from '../../../content/changes/source.ts'
import { decode } from '../../../content/text/bytes.ts'
import { objectInfo, readBlobs } from '../../../git/objects/objects.ts'
import type { Repository } from '../../../git/process/processes.ts'
import type { Hold } from '../../../http/limits/admission.ts'
import type { Oid } from '../../../lib/oid.ts'
import { inSlices } from '../../../lib/slices.ts'

/** A text of a page or file in two versions, or why it is not shown. */
export type Source = { lines: readonly SourceLine[] } | { why: string }

/** The blobs of a text in two versions. */
export type BlobPair = { before: Oid | undefined; after: Oid | undefined }

/** The texts of two versions; '' where one lacks it. */
export type TextPair = { before: string; after: string }

/** The longest text, in bytes, that is compared. */
const longestSource = 2_500_000

const oidsOf = ({ before, after }: BlobPair): Oid[] =>
  [before, after].filter(oid => oid !== undefined)

/** Returns the size in bytes of the larger version. */
export async function largerSize(repo: Repository, pair: BlobPair): Promise<number> {
  const infos = await objectInfo(repo, oidsOf(pair))
  return [...infos.values()].reduce((sum, { size }) => Math.max(sum, size), 0)
}

/** Reads a text in two versions, or says why they cannot be compared. */
export async function readTexts(
  repo: Repository,
  pair: BlobPair,
): Promise<TextPair | { why: string }> {
  if ((await largerSize(repo, pair)) > longestSource)
    return { why: 'It is too large to be compared here. Compare it with “git diff”.' }
  const blobs = await readBlobs(repo, oidsOf(pair))
  const textOf = (oid: Oid | undefined): string => {
    const bytes = oid && blobs.get(oid)
    return bytes ? decode(bytes).text : ''
  }
  const texts = { before: textOf(pair.before), after: textOf(pair.after) }
  const isBinary = texts.before.includes('\0') || texts.after.includes('\0')
  return isBinary ? { why: 'This file is not text.' } : texts
}

/** Compares two versions of a text line by line. */
export async function compareTexts(
  { before, after }: TextPair,
  { hold, signal }: { hold: Hold; signal: AbortSignal | undefined },
): Promise<Source> {
  await hold(before.length + after.length)
  return { lines: await inSlices(sourceLines(before, after), signal) }
}
