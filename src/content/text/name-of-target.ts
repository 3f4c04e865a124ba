/** Returns the last part of the path of a target, decoded: a file's name. */
export function nameOfTarget(target: string): string {
  const path = target.replace(/[?#].*$/s, '').replace(/\/$/, '')
  const name = path.slice(path.lastIndexOf('/') + 1) || target
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
