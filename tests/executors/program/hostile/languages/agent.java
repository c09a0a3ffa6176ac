// status: ok
// Makes itself an agent of the next process, which would print 8.
import java.nio.file.*;

public class Main {
    public static void agentmain(String words) {
        System.out.println(8);
    }

    public static void main(String[] words) throws Exception {
        Path own = Path.of(System.getProperty("java.class.path"));
        for (Path path : new Path[] {own, Path.of("/tmp/JDK_JAVA_OPTIONS"), Path.of("META-INF/MANIFEST.MF")}) {
            try {
                Files.writeString(path, "Launcher-Agent-Class: Main\nMain-Class: Main\n");
            } catch (java.io.IOException refused) {
            }
        }
        System.out.println(7);
    }
}
