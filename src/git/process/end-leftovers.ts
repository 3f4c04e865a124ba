import { readdir, readFile } from 'node:fs/promises'

/**
 * Kills git processes, with their descendants, whose repository is below this folder: a download
 * continues after its server is killed. Call it only at startup, before new ones can have begun.
 * Returns the number killed; 0 where there is no /proc.
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

/** Kills a process, or a group for a negative number; returns false when there is none. */
function end(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}
