import { type Oid, zeroOid } from '../../lib/oid.ts'
import { bandPackets, flushPacket, packet } from './packets.ts'
import { encodeRaw } from './raw-text.ts'

/** What became of one command of a push. */
export type Verdict =
  | {
      ref: string
      ok: true
      /** The ref that moved, where it is another one than the client named. */
      moved?: { ref: string; from: Oid | null; to: Oid | null }
    }
  | { ref: string; ok: false; reason: string }

export type PushReport = {
  /** 'ok', or why the pack was refused. */
  unpack: string
  verdicts: readonly Verdict[]
  /** Lines for the user, shown as `remote: …`. */
  messages?: readonly string[]
}

/** Longest text of a report that is not ours, in bytes. */
const mostText = 900

/**
 * Returns the answer to a push, in the form that the client's capabilities ask for; empty where
 * they ask for none.
 */
export function encodeReport(report: PushReport, capabilities: ReadonlySet<string>): Buffer {
  const banded = capabilities.has('side-band-64k')
  const status = statusOf(report, capabilities)
  if (!banded) return status
  return Buffer.concat([remoteLines(report.messages ?? []), bandPackets(1, status), flushPacket])
}

/** Returns lines for the user as packets of band 2, cleaned. */
const remoteLines = (lines: readonly string[]): Buffer =>
  Buffer.concat(lines.map(line => bandPackets(2, `${cleanText(line)}\n`)))

/**
 * Returns a text without control characters and line ends, cut to `most` bytes at the end of a
 * character.
 */
export function cleanText(text: string, most = mostText): string {
  const clean = text
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .toWellFormed()
  const bytes = Buffer.from(clean)
  if (bytes.length <= most) return clean
  let end = most
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

function statusOf({ unpack, verdicts }: PushReport, capabilities: ReadonlySet<string>): Buffer {
  const version2 = capabilities.has('report-status-v2')
  if (!version2 && !capabilities.has('report-status')) return Buffer.alloc(0)
  const lines = [`unpack ${cleanText(unpack)}`]

  for (const verdict of verdicts) {
    if (!verdict.ok) lines.push(`ng ${verdict.ref} ${cleanText(verdict.reason)}`)
    else {
      lines.push(`ok ${verdict.ref}`)
      if (version2 && verdict.moved) lines.push(...optionsOf(verdict.moved))
    }
  }

  return Buffer.concat([...lines.map(line => packet(encodeRaw(`${line}\n`))), flushPacket])
}

const optionsOf = ({
  ref,
  from,
  to,
}: {
  ref: string
  from: Oid | null
  to: Oid | null
}): string[] => [
  `option refname ${ref}`,
  `option old-oid ${from ?? zeroOid}`,
  `option new-oid ${to ?? zeroOid}`,
]
