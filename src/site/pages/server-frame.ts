import type { Context } from '../../context.ts'
import { serverPath } from '../../ui/serving/server-path.ts'
import { wordsOf } from '../../ui/words/all.ts'
import { assetAddresses } from '../sending/send-asset.ts'
import type { Frame } from '../views/model.ts'

/**
 * Returns the frame of the pages that belong to no site. `signIn`: with a link to the sign-in in
 * its header.
 */
export async function serverFrame(
  { publicUrl }: Pick<Context, 'publicUrl'>,
  { signIn = true } = {},
): Promise<Frame> {
  const home = serverPath({ publicUrl })
  const { words, lang } = wordsOf('en')

  return {
    lang,
    dir: 'ltr',
    words,
    title: 'Stemma',
    home,
    favicon: { href: 'data:,', type: 'image/svg+xml' },
    assets: await assetAddresses(home),
    look: {},
    scheme: 'auto',
    schemeSwitch: true,
    search: { action: home },
    header: [
      { title: 'API', href: `${home}docs`, style: 'link', links: [] },
      ...(signIn
        ? [{ title: words.signIn, href: `${home}sso/sign-in`, style: 'link' as const, links: [] }]
        : []),
    ],
    tabs: [],
    variants: [],
    footer: { groups: [], trademark: false },
    toolbar: [],
  }
}
