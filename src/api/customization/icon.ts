import type { Settings } from './schema.ts'

/** Returns the icon of a site, which is its favicon: `{icon: {light, dark}}`, `{emoji}`, or undefined for none. */
export const iconOf = ({ favicon }: Settings): Settings['favicon'] | undefined =>
  favicon.icon === undefined && favicon.emoji === undefined ? undefined : favicon
