const units = ['B', 'KB', 'MB', 'GB']

/** Returns a size in bytes as text, such as `1.2 MB`. */
export function sizeText(bytes: number): string {
  let value = bytes
  let unit = 0
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000
  return `${value >= 10 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}
