import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type RobotsFacts, robotsOf } from '../../../src/content/customization/robots.ts'

const open: RobotsFacts = { visibility: 'public', current: true }

test('search engines list the current pages of public sites only', () => {
  assert.is(robotsOf(open, [{}]), undefined)
  assert.is(robotsOf(open, []), undefined)
  assert.is(robotsOf({ ...open, current: false }, [{}]), 'noindex')
  for (const visibility of ['unlisted', 'share-link', 'visitor-auth'] as const)
    assert.is(robotsOf({ ...open, visibility }, [{}]), 'noindex', visibility)
})

test('the front matter of a page, or of a page above it, keeps it out', () => {
  for (const fields of [{ hidden: true }, { noIndex: true }, { noRobotsIndex: true }]) {
    assert.is(robotsOf(open, [fields]), 'noindex')
    assert.is(robotsOf(open, [{}, fields, {}]), 'noindex')
  }
  assert.is(robotsOf(open, [{ hidden: false, noIndex: false, noRobotsIndex: false }]), undefined)
})

test.run()
