import type { Context } from '../../context.ts'

/** Returns the path of the server on its own host, with a slash at its end. */
export const serverPath = ({ publicUrl }: Pick<Context, 'publicUrl'>): string =>
  `${new URL(publicUrl()).pathname.replace(/\/$/, '')}/`
