import { type FetchRequest, parseFetch } from './fetch-request.ts'
import { type ListRefsRequest, parseListRefs } from './list-refs.ts'
import { type Packet, packetsOf, textOf } from './packet-reader.ts'
import { ProtocolError, ProtocolRefusal } from './protocol-error.ts'

/**
 * Returns the command of a version 2 message; undefined for a message without one, which Git
 * answers with nothing. Throws ProtocolError when the message is not one command in packets,
 * ProtocolRefusal for a command, capability or argument that is not served.
 */
export function parseCommand(message: Buffer): ListRefsRequest | FetchRequest | undefined {
  const packets = packetsOf(message)
  const head = section(packets)
  if (head.lines.length === 0 && head.end === 'flush') return onlyThis(packets, undefined)

  const command = commandOf(head.lines)
  const args = head.end === 'delim' ? section(packets) : { lines: [], end: head.end }
  if (args.end !== 'flush') throw new ProtocolError('The message does not end with a flush packet.')

  return onlyThis(
    packets,
    command === 'ls-refs' ? parseListRefs(args.lines) : parseFetch(args.lines),
  )
}

/**
 * Returns the lines up to the next packet without data, and the kind of that one; 'none' at the
 * end.
 */
function section(packets: Generator<Packet, void, undefined>): { lines: string[]; end: string } {
  const lines: string[] = []
  for (let step = packets.next(); !step.done; step = packets.next()) {
    if (step.value.kind !== 'data') return { lines, end: step.value.kind }
    lines.push(textOf(step.value.data))
  }
  return { lines, end: 'none' }
}

function onlyThis<T>(packets: Generator<Packet, void, undefined>, value: T): T {
  if (!packets.next().done) throw new ProtocolError('A request holds one command.')
  return value
}

function commandOf(lines: readonly string[]): 'ls-refs' | 'fetch' {
  const commands = lines.filter(line => line.startsWith('command='))
  if (commands.length !== 1) throw new ProtocolError('A request holds one command.')

  for (const line of lines) {
    if (line.startsWith('object-format=') && line !== 'object-format=sha1')
      throw new ProtocolRefusal('the object format of this repository is sha1')
    if (!/^(?:command|agent|session-id|object-format)=/.test(line))
      throw new ProtocolRefusal('a capability of the request is not supported')
  }

  const command = commands[0]!.slice('command='.length)
  if (command === 'ls-refs' || command === 'fetch') return command
  throw new ProtocolRefusal('the command of the request is not supported')
}
