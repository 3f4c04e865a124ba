import { readdir, readFile } from 'node:fs/promises'

/**
 * Ends the git processes, with what they started, whose repository lies below this folder: a download goes on when the
 * server that began it was killed. For a start, while nobody else may have begun one. Gives how many there were; none where
 * /proc does not tell.
 */
export async function endLeftovers(folder: string): Promise<number> {
  let ended = 0
  const names = await readdir('/proc').catch(() => [] as string[])
  for (const pid of names.filter(name => /^\d+$/.test(name)).map(Number)) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (!line.split('\0').some(part => part.startsWith(`--git-dir=${folder}/`))) continue
    if (end(-pid) || end(pid)) ended++
  }
  return ended
}

/** Kills a process, or a group where the number is negative; false when there is none. */
function end(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}
