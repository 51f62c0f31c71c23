-- A key may hold `=`, so it says nothing about where a key ends: a space stands between key and value now.
UPDATE marks SET mark = overlay(mark PLACING ' ' FROM position('=' IN mark) FOR 1)
WHERE substr(mark, 1, 1) = 'p' AND position('=' IN mark) > 0;
