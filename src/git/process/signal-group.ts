/** Sends a signal to a process group; does nothing when it has ended. */
export function signalGroup(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-id, signal)
  } catch {
    // The group has ended.
  }
}
