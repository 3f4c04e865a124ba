import type { Context } from '../../context.ts'
import type { Place } from './place.ts'

/** Returns the path of the server on its own host, with a slash at its end. */
export const serverPath = ({ publicUrl }: Pick<Context, 'publicUrl'>): string =>
  `${new URL(publicUrl()).pathname.replace(/\/$/, '')}/`

/** Returns the path of the server on the host of a place: on other hosts than its own, it has the whole host. */
export function serverPathOf({ ctx, siteBase }: Pick<Place, 'ctx' | 'siteBase'>): string {
  const path = serverPath(ctx)
  return siteBase.startsWith(path) ? path : '/'
}
