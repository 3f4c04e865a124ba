import { existsSync } from 'node:fs'

/** The default limit on a file that a limited command writes: 1 GiB. */
export const mostFileBytes = 1024 ** 3
/** The default limit on the memory of a limited command: 1 GiB. */
const mostMemoryBytes = 1024 ** 3

/**
 * Returns a command prefix that sets resource limits: a pack of a few kilobytes can unpack to
 * gigabytes, and a stream may never end. `memoryBytes` limits the address space. Without
 * util-linux, a POSIX shell sets the limits it can; its unit for files is 512 bytes.
 */
export function limiter(fileBytes: number, memoryBytes = mostMemoryBytes): string[] {
  const program = ['/usr/bin/prlimit', '/bin/prlimit'].find(existsSync)
  if (program) {
    const limits = [
      `--as=${memoryBytes}`,
      `--fsize=${fileBytes}`,
      '--cpu=300',
      '--core=0',
      '--nofile=256',
    ]
    return [program, ...limits, '--']
  }

  const limits = [
    `-v ${Math.ceil(memoryBytes / 1024)}`,
    `-f ${Math.ceil(fileBytes / 512)}`,
    '-t 300',
    '-c 0',
    '-n 256',
  ]
  const script = limits.map(limit => `ulimit ${limit} 2>/dev/null; `).join('')
  return ['/bin/sh', '-c', `${script}exec "$@"`, 'sh']
}
