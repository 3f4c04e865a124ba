import { randomBytes } from 'node:crypto'
import { parseCommand } from '../../../src/git/protocol/command-request.ts'
import { packet } from '../../../src/git/protocol/packets.ts'
import { ProtocolError, ProtocolRefusal } from '../../../src/git/protocol/protocol-error.ts'
import { PushRequestReader } from '../../../src/git/protocol/push-request.ts'
import { arePlain } from '../../../src/git/receiving/plain-objects.ts'
import { unpack } from '../../../src/git/receiving/unpack.ts'
import { type PackEntry, packOf } from '../../support/git/raw-pack.ts'
import { numbered, type Parser, times } from './parser.ts'

const list = <Value>(count: number, each: (at: number) => Value): Value[] =>
  Array.from({ length: Math.max(1, Math.floor(count)) }, (_, at) => each(at))

const blob = (text: string | Buffer): PackEntry => ({ type: 'blob', content: Buffer.from(text) })

/** A delta that copies the first bytes of its base again and again. */
const copies = (base: number, bytes: number): PackEntry => {
  const count = Math.floor(bytes / 3)
  const head = [...sizeOf(60), ...sizeOf(60 * count)]
  return {
    type: 'delta',
    base,
    content: Buffer.concat([Buffer.from(head), Buffer.from('\x90\x3c'.repeat(count), 'latin1')]),
  }
}

function sizeOf(value: number): number[] {
  const bytes: number[] = []
  for (; value > 127; value >>= 7) bytes.push((value & 127) | 128)
  return [...bytes, value]
}

const tree = (bytes: number): PackEntry => ({
  type: 'tree',
  content: Buffer.concat(
    list(bytes / 34, at =>
      Buffer.concat([Buffer.from(`100644 f${String(at).padStart(6, '0')}\0`), Buffer.alloc(20, 1)]),
    ),
  ),
})

const commit = (header: string): PackEntry => {
  const person = 'A <a@example.org> 1700000000 +0000'
  const tree = `tree ${'1'.repeat(40)}\n`
  return {
    type: 'commit',
    content: Buffer.from(`${tree}${header}author ${person}\ncommitter ${person}\n\nx\n`),
  }
}

export const packParser: Parser = {
  name: 'packs of pushes',
  most: 3_000_000,
  forms: {
    blobs: bytes => packOf(list(400, at => blob(`${at}${times('ab ', bytes / 400)}`))),
    'random bytes': bytes => packOf(list(100, () => blob(randomBytes(Math.floor(bytes / 100))))),
    'a wide tree': bytes => packOf([tree(bytes)]),
    'copies in deltas': bytes =>
      packOf([blob('a'.repeat(60)), ...list(4, () => copies(0, bytes / 250))]),
    'deltas on deltas': bytes =>
      packOf([blob('a'.repeat(60)), ...list(bytes / 8_000, at => copies(at, 4))]),
    'headers of a commit': bytes => packOf([commit(numbered('x# y\n', bytes))]),
    'parents of a commit': bytes => packOf([commit(times(`parent ${'1'.repeat(40)}\n`, bytes))]),
    'lines of a signature': bytes => packOf([commit(`gpgsig a\n${times(' b\n', bytes)}`)]),
  },
  parse: (pack: Buffer) => {
    const objects = unpack(pack)
    return objects && arePlain(objects)
  },
}

const id = '1'.repeat(40)
const lines = (part: (at: number) => string, bytes: number): Buffer =>
  Buffer.concat([
    ...list(bytes / packet(part(0)).length, at => packet(part(at))),
    Buffer.from('0000'),
  ])
const fetchOf = (part: (at: number) => string) => (bytes: number) =>
  Buffer.concat([packet('command=fetch'), Buffer.from('0001'), lines(part, bytes)])

/** Runs a parser that may refuse its input. */
const refusing = (parse: () => unknown): unknown => {
  try {
    return parse()
  } catch (error) {
    if (error instanceof ProtocolError || error instanceof ProtocolRefusal) return undefined
    throw error
  }
}

export const pushParser: Parser = {
  name: 'commands of pushes',
  most: 1_000_000,
  forms: {
    commands: bytes =>
      lines(at => `${id} ${id} refs/heads/b${at}${at === 0 ? '\0report-status' : ''}`, bytes),
    'long names': bytes => lines(at => `${id} ${id} refs/heads/${at}${'é'.repeat(1_900)}`, bytes),
    capabilities: bytes =>
      lines(() => `${id} ${id} refs/heads/b\0${times('a ', Math.min(bytes, 60_000))}`, 1),
    shallow: bytes => lines(() => `shallow ${id}`, bytes),
  },
  parse: (message: Buffer) => refusing(() => new PushRequestReader().read(message)),
}

export const fetchParser: Parser = {
  name: 'requests of fetches',
  most: 1_000_000,
  forms: {
    haves: fetchOf(() => `have ${id}`),
    wants: fetchOf(at => `want ${String(at).padStart(40, '0')}`),
    'lines that are not known': fetchOf(at => `x${at}`),
    prefixes: bytes =>
      Buffer.concat([
        packet('command=ls-refs'),
        Buffer.from('0001'),
        lines(at => `ref-prefix refs/heads/${at}`, bytes),
      ]),
  },
  parse: (message: Buffer) => refusing(() => parseCommand(message)),
}
