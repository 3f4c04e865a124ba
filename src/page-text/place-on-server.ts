import type { OpenContent } from '../actions/audience/open-content.ts'
import { fileAddresses } from '../files/address.ts'
import type { TextPlace } from './read-text.ts'

/** Returns the place of a text on a page of the server: files have the signed addresses of the API. */
export function placeOnServer(
  open: OpenContent,
  reading: Pick<TextPlace, 'signal' | 'hold' | 'hrefOf'>,
): TextPlace {
  const { ctx, space, user } = open
  const addresses = fileAddresses(ctx, space, { user })
  return {
    ...{ ctx, open, ...reading },
    origins: [new URL(ctx.publicUrl()).origin],
    fileAddress: addresses.of,
    imageOf: (file, media) => ({
      src: addresses.of(file),
      ...(media?.width && media.height && { width: media.width, height: media.height }),
    }),
  }
}
