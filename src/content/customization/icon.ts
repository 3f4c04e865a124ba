import type { Settings } from './schema.ts'

type ThemedUrl = NonNullable<Settings['favicon']['icon']>

/**
 * Returns the icon of a site, which is its favicon: `{icon: {light, dark}}`, `{emoji}`, or
 * undefined for none.
 */
export function iconOf({
  favicon: { icon, emoji },
}: Settings): { icon: ThemedUrl } | { emoji: string } | undefined {
  if (icon) return { icon }
  return emoji === undefined ? undefined : { emoji }
}
