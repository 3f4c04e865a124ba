import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Started as a process by git/process/launcher.ts: starts programs for a server, since a fork takes
// the longer the more memory a process has. The streams of a program are sockets that the server
// connects, so no byte of them passes through here.

/** `output` is the path of a file that stdout goes to, instead of a connection. */
type Launch = { id: number; argv: readonly string[]; env: Record<string, string>; output?: string }

/**
 * The length of what the server writes to each connection: the number of the launch and of the
 * stream.
 */
const headerBytes = 16

const launches = new Map<number, Launch>()
const streams = new Map<number, Socket[]>()
/**
 * The programs whose output is a file: they do not notice by themselves that the server has gone.
 */
const writers = new Set<ChildProcess>()
process.once('uncaughtException', error => {
  console.error(`Git is started by the server itself, which takes longer: ${error.message}.`)
  process.exit(1)
})
const folder = mkdtempSync(join(tmpdir(), 'stemma-launcher-'))
const path = join(folder, 'socket')
// A server that was killed cannot be told; that the channel has closed is noticed next.
const tell = (message: object) =>
  process.connected && process.send?.(message, undefined, undefined, () => {})

const server = createServer({ allowHalfOpen: true }, socket => {
  socket.on('error', () => {}) // the server has gone, or given up
  const readHeader = () => {
    const header = socket.read(headerBytes) as Buffer | null
    if (!header) return
    socket.off('readable', readHeader)
    socket.pause()
    const [id = 0, stream = 0] = String(header).trim().split(' ').map(Number)
    const all = streams.get(id) ?? []

    streams.set(id, all)
    all[stream] = socket
    begin(id)
  }

  socket.on('readable', readHeader)
})

process.on('message', ({ cancelled, ...launch }: Launch & { cancelled?: true }) => {
  if (cancelled) {
    for (const each of streams.get(launch.id) ?? []) each?.destroy()
    streams.delete(launch.id)
    launches.delete(launch.id)
    return
  }
  launches.set(launch.id, launch)
  begin(launch.id)
})
process.once('disconnect', leave)
// A supervisor signals all processes of a service: this one ends with the server, which may still
// need it.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
server.listen(path, () => tell({ path }))
// A server that was killed before this line sends no event.
if (!process.connected) leave()

function leave(): never {
  for (const { pid } of writers) {
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL')
    } catch {
      // The group has ended.
    }
  }

  rmSync(folder, { recursive: true, force: true })
  process.exit(0)
}

/** Starts a program once its order and its three streams are here. */
function begin(id: number): void {
  const launch = launches.get(id)
  const [stdin, stdout, stderr] = streams.get(id) ?? []
  if (!launch || !stdin || !stderr || (launch.output === undefined && !stdout)) return
  launches.delete(id)
  streams.delete(id)
  const [program = '', ...args] = launch.argv
  let file: number | undefined
  let child: ChildProcess

  try {
    if (launch.output !== undefined) file = openSync(launch.output, 'r+')
    const stdio = [stdin, file ?? stdout, stderr]
    child = spawn(program, args, { cwd: '/', env: launch.env, shell: false, detached: true, stdio })
  } catch (error) {
    tell({ id, error: String(error) })
    return
  } finally {
    for (const each of [stdin, stdout, stderr]) each?.destroy()
    if (file !== undefined) closeSync(file)
  }

  child.once('error', error => tell({ id, error: String(error) }))
  if (child.pid === undefined) return
  tell({ id, pid: child.pid })
  if (launch.output !== undefined) writers.add(child)
  child.once('exit', (code, signal) => {
    writers.delete(child)
    tell({ id, code, signal })
  })
}
