import { fork } from 'node:child_process'
import { once } from 'node:events'
import { flushPacket, packet } from '../../../src/git/protocol/packets.ts'
import type { GitHost } from '../git-host.ts'
import type { Replayed } from './replay-child.ts'

const asked = ['command=ls-refs\n', 'agent=git/bench', 'object-format=sha1']
const lines = ['peel\n', 'symrefs\n', 'unborn\n']
const listRefs = Buffer.concat([
  ...asked.map(packet),
  Buffer.from('0001'),
  ...lines.map(packet),
  flushPacket,
])

/**
 * Runs `work` with a server that sends what another one answers to `git ls-remote`: no server can
 * be faster, so it shows how much of the time is the client's.
 */
export async function withReplay<Result>(
  { url, headers, pid }: GitHost,
  id: string,
  work: (host: GitHost) => Promise<Result>,
): Promise<Result> {
  const read = async (path: string, body?: Buffer<ArrayBuffer>) => {
    const response = await fetch(`${url}/${id}.git/${path}`, {
      headers: {
        ...headers,
        'git-protocol': 'version=2',
        ...(body && { 'content-type': 'application/x-git-upload-pack-request' }),
      },
      ...(body && { method: 'POST', body }),
    })
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
    const bytes = Buffer.from(await response.arrayBuffer())
    return { type: response.headers.get('content-type') ?? '', body: bytes.toString('base64') }
  }

  const answers: Replayed = {
    GET: await read('info/refs?service=git-upload-pack'),
    POST: await read('git-upload-pack', listRefs),
  }
  const child = fork(new URL('./replay-child.ts', import.meta.url), [JSON.stringify(answers)])
  const [port] = (await once(child, 'message')) as [number]

  try {
    return await work({ url: `http://127.0.0.1:${port}`, pid: child.pid ?? pid, headers })
  } finally {
    child.disconnect()
  }
}
