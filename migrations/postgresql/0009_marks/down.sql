UPDATE marks SET mark = overlay(mark PLACING '=' FROM position(' ' IN mark) FOR 1)
WHERE substr(mark, 1, 1) = 'p' AND position(' ' IN mark) > 0;
