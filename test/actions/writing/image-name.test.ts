import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { imageName } from '../../../src/actions/writing/image-name.ts'

for (const [given, name] of [
  ['photo.png', 'photo.png'],
  ['My holiday photo.PNG', 'My-holiday-photo.png'],
  ['Überblick (1).png', 'Überblick-1.png'],
  ['图.png', '图.png'],
  ['a"b\'c<d>.png', 'a-b-c-d.png'],
  ['../../etc/passwd', 'passwd.png'],
  ['..\\..\\x.png', 'x.png'],
  ['..', 'image.png'],
  ['.png', 'image.png'],
  ['.gitattributes', 'gitattributes.png'],
  ['GITMOD~1', 'GITMOD-1.png'],
  ['a....b.png', 'a.b.png'],
  ['picture.html', 'picture.png'],
  ['picture.svg', 'picture.png'],
  ['a\u202eb\u200bc.png', 'abc.png'],
  ['a:b|c?d*e.png', 'a-b-c-d-e.png'],
  ['', 'image.png'],
  ['💥.png', 'image.png'],
] as const)
  test(`an image called ${JSON.stringify(given)} is saved as ${name}`, () => {
    assert.is(imageName(given, 'image/png'), name)
  })

test('names are short enough for a number and an ending, and endings fit the type', () => {
  assert.is(imageName(`${'x'.repeat(300)}.png`, 'image/png'), `${'x'.repeat(100)}.png`)
  assert.ok(Buffer.byteLength(imageName('é'.repeat(300), 'image/svg+xml')) <= 104)
  assert.is(imageName('a.jpeg', 'image/jpeg'), 'a.jpeg')
  assert.is(imageName('a.JPG', 'image/jpeg'), 'a.jpg')
})

test.run()
