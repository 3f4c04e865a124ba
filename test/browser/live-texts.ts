/** A space in Arabic, written from right to left. */
export const arabic: Readonly<Record<string, string>> = {
  'README.md': `---
description: كيف تقرأ هذا الدليل وأين تبدأ
---

# مرحبًا بك في الدليل

يشرح هذا الدليل كيف تُكتب الوثائق في مستودع Git، وكيف تُنشر للقراء في الحال، من دون خطوة بناء. كل صفحة ملف، وكل نسخة إيداع يمكن الرجوع إليه.

## البدء

1. أنشئ مساحة جديدة.
2. اكتب الصفحة الأولى بصيغة \`Markdown\`.
3. انشرها:

\`\`\`sh
stemma publish ./docs --title "دليل"
\`\`\`

{% hint style="warning" %}
لا تحذف المجلد \`data\` أبدًا: فيه كل ما كُتب.
{% endhint %}

## الإعدادات

| الإعداد | القيمة | المعنى |
| --- | --- | --- |
| \`PORT\` | 3000 | المنفذ الذي ينصت إليه الخادم |
| \`STEMMA_DATA\` | data | المجلد الذي تُحفظ فيه البيانات |

### المزيد

- صفحات [التثبيت](install.md)
- أسئلة وأجوبة

> الكتابة الجيدة إعادة كتابة.
`,
  'install.md': '# التثبيت\n\nثبّت البرنامج ثم شغّله.\n',
  'advanced/README.md': '# متقدم\n\nللقراء المتمرسين.\n',
  'advanced/backup.md': '# النسخ الاحتياطي\n\nانسخ المجلد كل ليلة.\n',
  'SUMMARY.md':
    '# Table of contents\n\n* [مرحبًا](README.md)\n* [التثبيت](install.md)\n* [متقدم](advanced/README.md)\n  * [النسخ الاحتياطي](advanced/backup.md)\n',
}

/** A space in Chinese. */
export const chinese: Readonly<Record<string, string>> = {
  'README.md': `---
description: 如何阅读本手册，从哪里开始
---

# 欢迎使用手册

本手册说明如何在 Git 仓库中编写文档，并在没有构建步骤的情况下立即发布给读者。每个页面都是一个文件，每个版本都是一次提交，随时可以回到从前。

## 安装与启动

1. 新建一个空间。
2. 用 \`Markdown\` 写第一页。
3. 发布：

\`\`\`sh
stemma publish ./docs --title "手册"
\`\`\`

{% hint style="info" %}
合并之后，页面马上可以阅读。
{% endhint %}

## 配置

| 设置 | 默认值 | 含义 |
| --- | --- | --- |
| \`PORT\` | 3000 | 服务器监听的端口 |
| \`STEMMA_DATA\` | data | 保存数据的文件夹 |
`,
  'install.md': '# 安装\n\n先安装程序，然后启动服务器。\n',
  'SUMMARY.md': '# Table of contents\n\n* [欢迎](README.md)\n* [安装](install.md)\n',
}
