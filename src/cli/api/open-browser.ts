import { spawn } from 'node:child_process'

/**
 * Opens an address in the browser of the desktop. The address is printed as well, so that a failure
 * does not matter.
 */
export function openBrowser(address: string): void {
  const programs: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
    darwin: ['open'],
    win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  }
  const [program, ...before] = programs[process.platform] ?? ['xdg-open']
  spawn(program, [...before, address], { stdio: 'ignore', detached: true })
    .on('error', () => console.error('No browser could be opened. Open the address yourself.'))
    .unref()
}
